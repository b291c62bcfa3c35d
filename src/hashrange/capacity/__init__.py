"""What an operation costs."""
