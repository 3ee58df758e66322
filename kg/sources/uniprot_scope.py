"""What is in scope of the UniProt layer, and what a reader decided about single diseases: for kg/sources/uniprot.py."""

from __future__ import annotations

import re

KEYWORDS = frozenset({
    "Intellectual disability", "Epilepsy", "Neurodegeneration", "Deafness", "Non-syndromic deafness", "Neuropathy",
    "Hereditary spastic paraplegia", "Charcot-Marie-Tooth disease", "Dystonia", "Parkinsonism", "Parkinson disease",
    "Joubert syndrome", "Spinocerebellar ataxia", "Leukodystrophy", "Lissencephaly", "Autism spectrum disorder",
    "Autism", "Dystroglycanopathy", "Primary microcephaly", "Amyotrophic lateral sclerosis",
    "Congenital myasthenic syndrome", "Kallmann syndrome", "Neuronal ceroid lipofuscinosis", "Usher syndrome",
    "Holoprosencephaly", "Alzheimer disease", "Cockayne syndrome", "Aicardi-Goutieres syndrome", "Schizophrenia",
    "Gangliosidosis", "Leber hereditary optic neuropathy", "Metachromatic leukodystrophy", "Leigh syndrome",
    "Dejerine-Sottas syndrome", "MELAS syndrome", "Niemann-Pick disease", "Retinitis pigmentosa",
    "Cone-rod dystrophy", "Leber congenital amaurosis", "Congenital stationary night blindness",
    "Zellweger syndrome", "Progressive external ophthalmoplegia", "Mucolipidosis", "Glutaricaciduria",
})  # fmt: skip
NEURO = re.compile(
    r"epilep|seizure|neuro(?:n|path|degen|develop|log)|encephal|ataxi|dystoni|spastic|intellectual|mental retardation|"
    r"leukodystroph|dement|parkinson|chorea|myasthen|motor neuron|migraine|paraplegi|cerebell|brain|polymicrogyria|"
    r"paralysis|narcolep|tremor|autis|neural|nervous system|microcephal|hydrocephal|sclerosis, amyotrophic|myotoni|"
    r"photorecept|night blindness|achromatops|color blindness|hearing loss|pain\b|paraganglioma|glioma|"
    r"wilson disease|gaucher|neurofibromatosis|tuberous sclerosis|hippel-lindau|phenylketonuria|adrenoleukodystroph|"
    r"tay-sachs|krabbe|sandhoff|fabry|menkes|lesch-nyhan|mucopolysaccharidosis|homocystinuria|maple syrup|refsum|"
    r"acute intermittent|muscular dystroph|periodic paralys|hyperthermia|schwannomatosis|abetalipoprotein",
    re.I,
)
# Diseases to which OMIM and the literature tie another gene besides the one in UniProt's variants (digenic forms,
# modifiers, deletions): their list of genes is not complete.
MORE_GENES = frozenset(
    f"OMIM:{number}" for number in (
        105830, 113650, 127750, 147920, 149400, 160900, 170400, 180849, 213600, 220290, 253400, 266500, 274600, 276900,
        276901, 277400, 300908, 304400, 309801, 314390, 600512, 600791, 601386, 603041, 604004, 605472, 605589, 606889,
        607432, 607459, 607822, 607831, 608133, 611451, 613254, 618872, 619721, 619758, 619759, 619950, 619951,
    )
)  # fmt: skip
# Pairs in the data that are not so: a binding partner, a neighbouring record, one protein made by several genes.
WRONG_PAIRS = frozenset({
    ("MBNL1", "OMIM:160900"), ("KCNA2", "OMIM:618872"), ("H3-3A", "OMIM:619721"), ("H4C1", "OMIM:619758"),
    ("H4C1", "OMIM:619759"), ("H4C1", "OMIM:619950"), ("H4C1", "OMIM:619951"), ("TOMT", "OMIM:611451"),
})  # fmt: skip
CATEGORIES = (
    ("epilepsy", re.compile(r"epilep|seizure", re.I)),
    ("neurodegenerative_disease", re.compile(r"alzheimer|parkinson disease|amyotrophic lateral|huntington disease|"
                                             r"frontotemporal|neurodegeneration|lipofuscinosis", re.I)),
    ("psychiatric_disorder", re.compile(r"^schizophrenia|^autism|^bipolar|obsessive", re.I)),
)  # fmt: skip
