"""Services for game servers, independent of HTTP."""
