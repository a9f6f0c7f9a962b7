"""How passwords are kept."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class OwaspArgon2(Argon2PasswordHasher):
    """Argon2id as the Password Storage Cheat Sheet of OWASP asks: 19 MiB, 2 passes, 1 lane.

    Django's own figures take 100 MiB and 8 lanes for each login: 32 threads would need 3 GB. 19 MiB for each
    bound what a flood of logins takes.
    """

    memory_cost = 19 * 1024
    time_cost = 2
    parallelism = 1
