"""Pages for organizers. They are private, and no cache keeps them."""
