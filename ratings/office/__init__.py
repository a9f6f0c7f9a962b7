"""The office's parts that every rule book shares; nothing here names a rule book."""
