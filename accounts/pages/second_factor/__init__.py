"""The pages of the operators' second factor: asked for on the way to the admin, and set up."""
