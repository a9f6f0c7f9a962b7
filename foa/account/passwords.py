"""How passwords are hashed."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class OwaspArgon2(Argon2PasswordHasher):
    """Argon2id as recommended by OWASP's Password Storage Cheat Sheet: 19 MiB, 2 passes, 1 lane.

    Django's defaults take 100 MiB and 8 lanes for each login: 32 threads would need 3 GB. 19 MiB limit the
    memory that a flood of logins takes.
    """

    memory_cost = 19 * 1024
    time_cost = 2
    parallelism = 1
