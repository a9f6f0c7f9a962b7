"""Names and flags of federations, by FIDE's code, and titles as badges."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from django.templatetags.static import static
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from members.words import folded

_NEUTRAL: Final = "neutral"
"""Flag of players without a federation, and of codes without a flag in the set."""


def name_of(code: str) -> str:
    """Return the name of a federation in the reader's language, or its code if the name isn't known."""
    _flag, name = _known(code)
    return str(name)


def code_of(text: str) -> str | None:
    """Return the code of a federation by code or name in the reader's language, or None.

    Any three letters count as a code: old lists have codes that are in no table.
    """
    wanted = folded(text.strip())
    if len(wanted) == 3 and wanted.isascii() and wanted.isalpha():
        return wanted.upper()
    return next((code for code, (_flag, name) in _FEDERATIONS.items() if folded(str(name)) == wanted), None)


def flag(code: str) -> SafeString:
    """Return the flag, with the name for screen readers; empty without a code."""
    return _flag_only(code, get_language() or "") if code else SafeString()


def federation(code: str) -> SafeString:
    """Return the flag and the name; empty without a code."""
    return _flag_and_name(code, get_language() or "") if code else SafeString()


def federation_code(code: str) -> SafeString:
    """Return the code, with the name where one points at it."""
    return format_html('<abbr title="{}">{}</abbr>', name_of(code), code)


@lru_cache(1000)
def _flag_only(code: str, _language: str) -> SafeString:
    name = name_of(code)
    return format_html(
        '<img class="flag" src="{}" alt="{}" title="{}" width="16" height="16" loading="lazy">',
        flag_address(code),
        name,
        name,
    )


@lru_cache(1000)
def _flag_and_name(code: str, _language: str) -> SafeString:
    return format_html(
        '<span class="federation"><img class="flag" src="{}" alt="" width="16" height="16" loading="lazy">'
        " {}</span>",
        flag_address(code),
        name_of(code),
    )


def flag_address(code: str) -> str:
    """Return the address of the flag's picture."""
    return static(f"foa/flags/{_known(code)[0]}.svg")


def _known(code: str) -> tuple[str, str | Promise]:
    return _FEDERATIONS.get(_RENAMED.get(code, code), (_NEUTRAL, code))


_RENAMED: Final = {"ROM": "ROU", "SIN": "SGP", "TRI": "TTO", "LIB": "LBN"}
"""Current codes, by the codes in old lists."""

_FEDERATIONS: Final[dict[str, tuple[str, str | Promise]]] = {
    "AFG": ("af", _("Afghanistan")),
    "AHO": ("an", _("Netherlands Antilles")),
    "ALB": ("al", _("Albania")),
    "ALG": ("dz", _("Algeria")),
    "AND": ("ad", _("Andorra")),
    "ANG": ("ao", _("Angola")),
    "ANT": ("ag", _("Antigua and Barbuda")),
    "ARG": ("ar", _("Argentina")),
    "ARM": ("am", _("Armenia")),
    "ARU": ("aw", _("Aruba")),
    "AUS": ("au", _("Australia")),
    "AUT": ("at", _("Austria")),
    "AZE": ("az", _("Azerbaijan")),
    "BAH": ("bs", _("Bahamas")),
    "BAN": ("bd", _("Bangladesh")),
    "BAR": ("bb", _("Barbados")),
    "BDI": ("bi", _("Burundi")),
    "BEL": ("be", _("Belgium")),
    "BEN": ("bj", _("Benin")),
    "BER": ("bm", _("Bermuda")),
    "BHU": ("bt", _("Bhutan")),
    "BIH": ("ba", _("Bosnia and Herzegovina")),
    "BIZ": ("bz", _("Belize")),
    "BLR": ("by", _("Belarus")),
    "BOL": ("bo", _("Bolivia")),
    "BOT": ("bw", _("Botswana")),
    "BRA": ("br", _("Brazil")),
    "BRN": ("bh", _("Bahrain")),
    "BRU": ("bn", _("Brunei")),
    "BUL": ("bg", _("Bulgaria")),
    "BUR": ("bf", _("Burkina Faso")),
    "CAF": ("cf", _("Central African Republic")),
    "CAM": ("kh", _("Cambodia")),
    "CAN": ("ca", _("Canada")),
    "CAY": ("ky", _("Cayman Islands")),
    "CGO": ("cg", _("Congo")),
    "CHA": ("td", _("Chad")),
    "CHI": ("cl", _("Chile")),
    "CHN": ("cn", _("China")),
    "CIV": ("ci", _("Ivory Coast")),
    "CMR": ("cm", _("Cameroon")),
    "COD": ("cd", _("DR Congo")),
    "COL": ("co", _("Colombia")),
    "COM": ("km", _("Comoros")),
    "CPV": ("cv", _("Cape Verde")),
    "CRC": ("cr", _("Costa Rica")),
    "CRO": ("hr", _("Croatia")),
    "CUB": ("cu", _("Cuba")),
    "CYP": ("cy", _("Cyprus")),
    "CZE": ("cz", _("Czechia")),
    "DEN": ("dk", _("Denmark")),
    "DJI": ("dj", _("Djibouti")),
    "DMA": ("dm", _("Dominica")),
    "DOM": ("do", _("Dominican Republic")),
    "ECU": ("ec", _("Ecuador")),
    "EGY": ("eg", _("Egypt")),
    "ENG": ("gb-eng", _("England")),
    "ERI": ("er", _("Eritrea")),
    "ESA": ("sv", _("El Salvador")),
    "ESP": ("es", _("Spain")),
    "EST": ("ee", _("Estonia")),
    "ETH": ("et", _("Ethiopia")),
    "FAI": ("fo", _("Faroe Islands")),
    "FIJ": ("fj", _("Fiji")),
    "FIN": ("fi", _("Finland")),
    "FRA": ("fr", _("France")),
    "GAB": ("ga", _("Gabon")),
    "GAM": ("gm", _("Gambia")),
    "GCI": ("gg", _("Guernsey")),
    "GEO": ("ge", _("Georgia")),
    "GEQ": ("gq", _("Equatorial Guinea")),
    "GER": ("de", _("Germany")),
    "GHA": ("gh", _("Ghana")),
    "GRE": ("gr", _("Greece")),
    "GRL": ("gl", _("Greenland")),
    "GRN": ("gd", _("Grenada")),
    "GUA": ("gt", _("Guatemala")),
    "GUI": ("gn", _("Guinea")),
    "GUM": ("gu", _("Guam")),
    "GUY": ("gy", _("Guyana")),
    "HAI": ("ht", _("Haiti")),
    "HKG": ("hk", _("Hong Kong")),
    "HON": ("hn", _("Honduras")),
    "HUN": ("hu", _("Hungary")),
    "INA": ("id", _("Indonesia")),
    "IND": ("in", _("India")),
    "IOM": ("im", _("Isle of Man")),
    "IRI": ("ir", _("Iran")),
    "IRL": ("ie", _("Ireland")),
    "IRQ": ("iq", _("Iraq")),
    "ISL": ("is", _("Iceland")),
    "ISR": ("il", _("Israel")),
    "ISV": ("vi", _("US Virgin Islands")),
    "ITA": ("it", _("Italy")),
    "IVB": ("vg", _("British Virgin Islands")),
    "JAM": ("jm", _("Jamaica")),
    "JCI": ("je", _("Jersey")),
    "JOR": ("jo", _("Jordan")),
    "JPN": ("jp", _("Japan")),
    "KAZ": ("kz", _("Kazakhstan")),
    "KEN": ("ke", _("Kenya")),
    "KGZ": ("kg", _("Kyrgyzstan")),
    "KIR": ("ki", _("Kiribati")),
    "KOR": ("kr", _("South Korea")),
    "KOS": ("xk", _("Kosovo")),
    "KSA": ("sa", _("Saudi Arabia")),
    "KUW": ("kw", _("Kuwait")),
    "LAO": ("la", _("Laos")),
    "LAT": ("lv", _("Latvia")),
    "LBA": ("ly", _("Libya")),
    "LBN": ("lb", _("Lebanon")),
    "LBR": ("lr", _("Liberia")),
    "LCA": ("lc", _("Saint Lucia")),
    "LES": ("ls", _("Lesotho")),
    "LIE": ("li", _("Liechtenstein")),
    "LTU": ("lt", _("Lithuania")),
    "LUX": ("lu", _("Luxembourg")),
    "MAC": ("mo", _("Macau")),
    "MAD": ("mg", _("Madagascar")),
    "MAR": ("ma", _("Morocco")),
    "MAS": ("my", _("Malaysia")),
    "MAW": ("mw", _("Malawi")),
    "MDA": ("md", _("Moldova")),
    "MDV": ("mv", _("Maldives")),
    "MEX": ("mx", _("Mexico")),
    "MGL": ("mn", _("Mongolia")),
    "MKD": ("mk", _("North Macedonia")),
    "MLI": ("ml", _("Mali")),
    "MLT": ("mt", _("Malta")),
    "MNC": ("mc", _("Monaco")),
    "MNE": ("me", _("Montenegro")),
    "MOZ": ("mz", _("Mozambique")),
    "MRI": ("mu", _("Mauritius")),
    "MTN": ("mr", _("Mauritania")),
    "MYA": ("mm", _("Myanmar")),
    "NAM": ("na", _("Namibia")),
    "NCA": ("ni", _("Nicaragua")),
    "NCL": ("nc", _("New Caledonia")),
    "NED": ("nl", _("Netherlands")),
    "NEP": ("np", _("Nepal")),
    "NGR": ("ng", _("Nigeria")),
    "NIG": ("ne", _("Niger")),
    "NOR": ("no", _("Norway")),
    "NRU": ("nr", _("Nauru")),
    "NZL": ("nz", _("New Zealand")),
    "OMA": ("om", _("Oman")),
    "PAK": ("pk", _("Pakistan")),
    "PAN": ("pa", _("Panama")),
    "PAR": ("py", _("Paraguay")),
    "PER": ("pe", _("Peru")),
    "PHI": ("ph", _("Philippines")),
    "PLE": ("ps", _("Palestine")),
    "PLW": ("pw", _("Palau")),
    "PNG": ("pg", _("Papua New Guinea")),
    "POL": ("pl", _("Poland")),
    "POR": ("pt", _("Portugal")),
    "PUR": ("pr", _("Puerto Rico")),
    "QAT": ("qa", _("Qatar")),
    "ROU": ("ro", _("Romania")),
    "RSA": ("za", _("South Africa")),
    "RUS": ("ru", _("Russia")),
    "RWA": ("rw", _("Rwanda")),
    "SCO": ("gb-sct", _("Scotland")),
    "SEN": ("sn", _("Senegal")),
    "SEY": ("sc", _("Seychelles")),
    "SGP": ("sg", _("Singapore")),
    "SKN": ("kn", _("Saint Kitts and Nevis")),
    "SLE": ("sl", _("Sierra Leone")),
    "SLO": ("si", _("Slovenia")),
    "SMR": ("sm", _("San Marino")),
    "SOL": ("sb", _("Solomon Islands")),
    "SOM": ("so", _("Somalia")),
    "SRB": ("rs", _("Serbia")),
    "SRI": ("lk", _("Sri Lanka")),
    "SSD": ("ss", _("South Sudan")),
    "STP": ("st", _("São Tomé and Príncipe")),
    "SUD": ("sd", _("Sudan")),
    "SUI": ("ch", _("Switzerland")),
    "SUR": ("sr", _("Suriname")),
    "SVK": ("sk", _("Slovakia")),
    "SWE": ("se", _("Sweden")),
    "SWZ": ("sz", _("Eswatini")),
    "SYR": ("sy", _("Syria")),
    "TAN": ("tz", _("Tanzania")),
    "TGA": ("to", _("Tonga")),
    "THA": ("th", _("Thailand")),
    "TJK": ("tj", _("Tajikistan")),
    "TKM": ("tm", _("Turkmenistan")),
    "TLS": ("tl", _("Timor-Leste")),
    "TOG": ("tg", _("Togo")),
    "TPE": ("neutral", _("Chinese Taipei")),
    "TTO": ("tt", _("Trinidad and Tobago")),
    "TUN": ("tn", _("Tunisia")),
    "TUR": ("tr", _("Türkiye")),
    "UAE": ("ae", _("United Arab Emirates")),
    "UGA": ("ug", _("Uganda")),
    "UKR": ("ua", _("Ukraine")),
    "URU": ("uy", _("Uruguay")),
    "USA": ("us", _("United States")),
    "UZB": ("uz", _("Uzbekistan")),
    "VAN": ("vu", _("Vanuatu")),
    "VEN": ("ve", _("Venezuela")),
    "VIE": ("vn", _("Vietnam")),
    "VIN": ("vc", _("Saint Vincent and the Grenadines")),
    "WLS": ("gb-wls", _("Wales")),
    "YEM": ("ye", _("Yemen")),
    "ZAM": ("zm", _("Zambia")),
    "ZIM": ("zw", _("Zimbabwe")),
    "FID": ("neutral", "FIDE"),
    "NON": ("neutral", _("No federation")),
}
"""File name of the flag, and name, by code. Chinese Taipei plays under a flag that the set lacks."""


TITLE_NAMES: Final[dict[str, Promise]] = {
    "GM": _("Grandmaster"),
    "IM": _("International Master"),
    "FM": _("FIDE Master"),
    "CM": _("Candidate Master"),
    "WGM": _("Woman Grandmaster"),
    "WIM": _("Woman International Master"),
    "WFM": _("Woman FIDE Master"),
    "WCM": _("Woman Candidate Master"),
    "AGM": _("Arena Grandmaster"),
    "AIM": _("Arena International Master"),
    "AFM": _("Arena FIDE Master"),
    "ACM": _("Arena Candidate Master"),
}


def badge(title: str) -> SafeString:
    """Return a title as a badge with its full name; empty without a title."""
    return _badge(title, get_language() or "") if title else SafeString()


@lru_cache(100)
def _badge(title: str, _language: str) -> SafeString:
    kind = "title arena" if title.startswith("A") else "title"
    return format_html('<abbr class="{}" title="{}">{}</abbr>', kind, TITLE_NAMES.get(title, title), title)
