"""What the server costs, measured from outside."""
