"""The pages of the operators' second factor: proving it for the admin, and setting it up."""
