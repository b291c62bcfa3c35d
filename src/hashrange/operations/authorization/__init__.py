"""What requests ask of policies: actions on resources, with the condition keys of each request."""
