"""One small hand-made file of each format that can be imported, for the tests of the importers."""

from __future__ import annotations

import json

TRIPLES = """head,relation,tail,head_type,tail_type,PMID
oculomotor nerve,innervates,superior rectus,nerve,muscle,PMID:1
trochlear nerve,innervates,superior oblique,nerve,muscle,
abducens nerve,innervates,lateral rectus,nerve,muscle,
facial nerve,innervates,buccinator,nerve,muscle,
trochlear nerve,leaves,dorsal midbrain,nerve,site,
facial nerve,leaves,pontomedullary junction,nerve,site,
"""

KGX_NODES = """id\tname\tcategory\tsynonym\tsame_as
CHEBI:1\treserpine\tbiolink:SmallMolecule|biolink:NamedThing\tSerpasil\t
CHEBI:2\ttetrabenazine\tbiolink:SmallMolecule\t\t
MONDO:1\tHuntington disease\tbiolink:Disease\t\tOMIM:143100
MONDO:2\thypertension\tbiolink:Disease\t\t
HP:1\tChorea\tbiolink:PhenotypicFeature\t\t
HGNC:4851\tHTT\tbiolink:Gene\t\t
"""
KGX_EDGES = """subject\tpredicate\tobject\tpublications\tprimary_knowledge_source\tnegated\tqualified_predicate
CHEBI:1\tbiolink:treats\tMONDO:2\tPMID:9|PMID:8\tinfores:x\t\t
CHEBI:2\tbiolink:treats\tMONDO:1\t\tinfores:x\t\t
CHEBI:1\tbiolink:treats\tMONDO:1\t\tinfores:x\ttrue\t
MONDO:1\tbiolink:has_phenotype\tHP:1\t\tinfores:x\t\t
HGNC:4851\tbiolink:gene_associated_with_condition\tMONDO:1\t\tinfores:x\t\t
CHEBI:2\tbiolink:affects\tHGNC:4851\t\tinfores:x\t\tbiolink:causes
"""

OBO = """format-version: 1.2
data-version: releases/2026-01-01

[Term]
id: UBERON:0001
name: trochlear nerve
synonym: "fourth cranial nerve" EXACT []
alt_id: UBERON:9001
is_a: UBERON:0003 ! cranial nerve

[Term]
id: UBERON:0002
name: superior oblique muscle
intersection_of: UBERON:0004 ! muscle organ
intersection_of: part_of UBERON:0005
relationship: innervated_by UBERON:0001 {source="x"} ! trochlear nerve
relationship: part_of UBERON:0005 {gci_relation="part_of", gci_filler="NCBITaxon:9606"}

[Term]
id: UBERON:0003
name: cranial nerve

[Term]
id: UBERON:0004
name: muscle organ

[Term]
id: UBERON:0005
name: orbit

[Term]
id: UBERON:0006
name: old nerve
is_obsolete: true

[Typedef]
id: innervated_by
name: innervated by

[Typedef]
id: touches
name: touches
is_symmetric: true
"""

_OBO_IRI = "http://purl.obolibrary.org/obo/"
OBOGRAPH = json.dumps(
    {
        "graphs": [
            {
                "meta": {"version": f"{_OBO_IRI}cl/releases/2026-06-08/cl.owl"},
                "nodes": [
                    {"id": f"{_OBO_IRI}CL_1", "lbl": "Purkinje cell", "type": "CLASS"},
                    {"id": f"{_OBO_IRI}CL_2", "lbl": "neuron", "type": "CLASS"},
                    {"id": f"{_OBO_IRI}UBERON_3", "lbl": "cerebellar cortex", "type": "CLASS"},
                    {"id": f"{_OBO_IRI}CL_4", "lbl": "gone cell", "type": "CLASS", "meta": {"deprecated": True}},
                    {"id": f"{_OBO_IRI}BFO_0000050", "lbl": "part of", "type": "PROPERTY"},
                ],
                "edges": [
                    {"sub": f"{_OBO_IRI}CL_1", "pred": "is_a", "obj": f"{_OBO_IRI}CL_2"},
                    {"sub": f"{_OBO_IRI}CL_1", "pred": f"{_OBO_IRI}BFO_0000050", "obj": f"{_OBO_IRI}UBERON_3"},
                ],
                "logicalDefinitionAxioms": [
                    {
                        "definedClassId": f"{_OBO_IRI}CL_1",
                        "genusIds": [f"{_OBO_IRI}CL_2"],
                        "restrictions": [
                            {"propertyId": f"{_OBO_IRI}RO_0002100", "fillerId": f"{_OBO_IRI}UBERON_3"},
                        ],
                    }
                ],
            }
        ]
    }
)

TURTLE = """@prefix : <http://lab.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
obo:RO_0002100 a owl:ObjectProperty ; rdfs:label "has soma location" .
obo:CL_1 a owl:Class ; rdfs:label "Purkinje cell"@en ;
  rdfs:subClassOf obo:CL_2 , [ a owl:Restriction ; owl:onProperty obo:RO_0002100 ; owl:someValuesFrom obo:UBERON_3 ] ;
  owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( obo:CL_2
     [ a owl:Restriction ; owl:onProperty :releases ; owl:someValuesFrom obo:CHEBI_4 ] ) ] ;
  rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :sees ; owl:allValuesFrom obo:CHEBI_4 ] .
obo:CL_2 a owl:Class ; rdfs:label "neuron" .
obo:UBERON_3 a owl:Class ; rdfs:label "cerebellar cortex" .
obo:CHEBI_4 a owl:Class ; rdfs:label "GABA" .
:x a :Study ; rdfs:label "study x" ; :about obo:CL_1 .
"""

FUNCTIONAL = """Prefix(:=<http://lab.example/>)
Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)
Prefix(obo:=<http://purl.obolibrary.org/obo/>)
Ontology(<http://lab.example/cells>
Declaration(ObjectProperty(obo:RO_0002100))
AnnotationAssertion(rdfs:label obo:RO_0002100 "has soma location")
AnnotationAssertion(rdfs:label obo:CL_1 "Purkinje cell"@en)
AnnotationAssertion(rdfs:label obo:CL_2 "neuron")
AnnotationAssertion(rdfs:label obo:UBERON_3 "cerebellar cortex")
AnnotationAssertion(rdfs:label obo:CHEBI_4 "GABA")
AnnotationAssertion(rdfs:label :x "study x (of two
lines)")
SubClassOf(obo:CL_1 obo:CL_2)
SubClassOf(obo:CL_1 ObjectSomeValuesFrom(obo:RO_0002100 obo:UBERON_3))
EquivalentClasses(obo:CL_1 ObjectIntersectionOf(obo:CL_2 ObjectSomeValuesFrom(:releases obo:CHEBI_4)))
SubClassOf(obo:CL_1 ObjectAllValuesFrom(:sees obo:CHEBI_4))
ClassAssertion(:Study :x)
ObjectPropertyAssertion(:about :x obo:CL_1)
)
"""

OWL = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY obo "http://purl.obolibrary.org/obo/">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
  xmlns:owl="http://www.w3.org/2002/07/owl#">
  <owl:Class rdf:about="&obo;CL_1"><rdfs:label>Purkinje cell</rdfs:label>
    <rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="&obo;RO_0002100"/>
      <owl:someValuesFrom rdf:resource="&obo;UBERON_3"/></owl:Restriction></rdfs:subClassOf>
  </owl:Class>
  <owl:Class rdf:about="&obo;UBERON_3"><rdfs:label>cerebellar cortex</rdfs:label></owl:Class>
</rdf:RDF>
"""

PRIMEKG = """relation,display_relation,x_index,x_id,x_type,x_name,x_source,y_index,y_id,y_type,y_name,y_source
drug_protein,target,0,DB00206,drug,Reserpine,DrugBank,1,6571,gene/protein,SLC18A2,NCBI
drug_protein,target,1,6571,gene/protein,SLC18A2,NCBI,0,DB00206,drug,Reserpine,DrugBank
indication,indication,0,DB00206,drug,Reserpine,DrugBank,2,5044,disease,hypertensive disorder,MONDO
indication,indication,2,5044,disease,hypertensive disorder,MONDO,0,DB00206,drug,Reserpine,DrugBank
disease_disease,parent-child,3,4995,disease,cardiovascular disorder,MONDO,2,5044,disease,hypertensive disorder,MONDO
disease_disease,parent-child,2,5044,disease,hypertensive disorder,MONDO,3,4995,disease,cardiovascular disorder,MONDO
disease_phenotype_negative,phenotype absent,2,5044,disease,hypertensive disorder,MONDO,4,1250,effect/phenotype,Seizure,HPO
anatomy_protein_present,expression present,5,955,anatomy,brain,UBERON,1,6571,gene/protein,SLC18A2,NCBI
protein_protein,ppi,1,6571,gene/protein,SLC18A2,NCBI,6,7,gene/protein,missing,NCBI
"""

HETIONET_NODES = """id\tname\tkind
Gene::9021\tSOCS3\tGene
Compound::DB1\tRiluzole\tCompound
Disease::DOID:332\tamyotrophic lateral sclerosis\tDisease
Biological Process::GO:1\taxon guidance\tBiological Process
"""
HETIONET_SIF = """source\tmetaedge\ttarget
Compound::DB1\tCtD\tDisease::DOID:332
Gene::9021\tGpBP\tBiological Process::GO:1
Compound::DB1\tCbG\tGene::9021
Disease::DOID:332\tDaG\tGene::9021
"""
HETIONET_JSON = json.dumps(
    {
        "metanode_kinds": ["Gene", "Cellular Component"],
        "nodes": [
            {"kind": "Gene", "identifier": 9021, "name": "SOCS3", "data": {}},
            {"kind": "Cellular Component", "identifier": "GO:2", "name": "axon", "data": {}},
        ],
        "edges": [
            {
                "source_id": ["Gene", 9021],
                "target_id": ["Cellular Component", "GO:2"],
                "kind": "participates",
                "direction": "both",
                "data": {"source": "NCBI gene2go", "license": "CC BY 4.0"},
            }
        ],
    }
)

UMLS = {
    "MRCONSO.RRF": "C1|ENG|P|L1|PF|S1|Y|A1||M1||MSH|PT|D1|Parkinson Disease|0|N|256|\n"
    "C1|ENG|S|L2|PF|S2|Y|A2||M1||MSH|ET|D1|Paralysis Agitans|0|N||\n"
    "C1|FRE|P|L3|PF|S3|Y|A3||M1||MSH|PT|D1|Maladie de Parkinson|0|N||\n"
    "C2|ENG|P|L4|PF|S4|Y|A4||M2||MSH|PT|D2|Levodopa|0|N|256|\n"
    "C3|ENG|P|L5|PF|S5|Y|A5||M3||MSH|PT|D3|Movement Disorders|0|N|256|\n",
    "MRREL.RRF": "C1|A1|AUI|RO|C2|A4|AUI|may_treat|R1||MED-RT|MED-RT||N|N||\n"
    "C1|A1|AUI|PAR|C3|A5|AUI||R2||MSH|MSH||N|N||\n"
    "C1|A1|AUI|SY|C3|A5|AUI||R3||MSH|MSH||N|N||\n",
    "MRSTY.RRF": "C1|T047|B2.2.1.2.1|Disease or Syndrome|AT1||\nC2|T121|A1.4.1.1.1|Pharmacologic Substance|AT2||\n"
    "C3|T047|B2.2.1.2.1|Disease or Syndrome|AT3||\n",
}

_GAF_ROWS = """
UniProtKB P1 GAD1 involved_in GO:0001 PMID:5 IDA - P - GAD67|GAD protein taxon:9606 20240101 UniProt - -
UniProtKB P1 GAD1 NOT|enables GO:0002 PMID:6 IMP - F - - protein taxon:9606 20240101 UniProt - -
UniProtKB P1 GAD1 located_in GO:0003 GO_REF:1 IEA - C - - protein taxon:9606 20240101 UniProt - -
"""
GAF = "!gaf-version: 2.2" + _GAF_ROWS.replace(" -", " ").replace(" ", "\t")
HPOA = (
    '#description: "HPO annotations for rare diseases"\n#version: 2026-01-01\n'
    "database_id\tdisease_name\tqualifier\thpo_id\treference\tevidence\tonset\tfrequency\tsex\tmodifier\taspect\tbiocuration\n"
    "OMIM:1\tRett syndrome\t\tHP:0001\tPMID:3\tPCS\t\t5/7\t\t\tP\tx\n"
    "OMIM:1\tRett syndrome\tNOT\tHP:0002\tPMID:3\tPCS\t\t\t\t\tP\tx\n"
    "OMIM:1\tRett syndrome\t\tHP:0003\tOMIM:1\tTAS\t\t\t\t\tI\tx\n"
    "OMIM:1\tRett syndrome\t\tHP:0004\tOMIM:1\tTAS\t\t\t\t\tC\tx\n"
)
HPOA_OBO = """format-version: 1.2

[Term]
id: HP:0001
name: Stereotypy

[Term]
id: HP:0002
name: Deafness

[Term]
id: HP:0003
name: X-linked dominant inheritance
is_a: HP:0000005
"""

GUIDE = """Target,Target ID,Target Gene Symbol,Target Species,Ligand,Ligand ID,Ligand Type,Type,Action,PubMed ID
H3 receptor,264,HRH3,Human,pitolisant,1,Synthetic organic,Inhibitor,Inverse agonist,12
D2 receptor,215,DRD2,Human,haloperidol,2,Synthetic organic,Antagonist,Antagonist,13|14
D2 receptor,215,Drd2,Rat,haloperidol,2,Synthetic organic,Antagonist,Antagonist,
D2 receptor,215,DRD2,Human,dopamine,3,Metabolite,Agonist,Full agonist,
,,,Human,nothing,4,,,,
"""

GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string"/>
  <key id="d1" for="node" attr.name="category" attr.type="string"/>
  <key id="d2" for="edge" attr.name="relation" attr.type="string"/>
  <graph edgedefault="directed">
    <node id="n1"><data key="d0">aspirin</data><data key="d1">drug</data></node>
    <node id="n2"><data key="d0">COX-1</data><data key="d1">enzyme</data></node>
    <edge source="n1" target="n2"><data key="d2">inhibits</data></edge>
  </graph>
</graphml>
"""
NODE_LINK = json.dumps(
    {
        "directed": True,
        "multigraph": False,
        "nodes": [{"id": 1, "name": "aspirin", "kind": "drug"}, {"id": 2, "name": "COX-1", "kind": "enzyme"}],
        "links": [{"source": 1, "target": 2, "relation": "inhibits"}],
    }
)

# format -> file name -> text
FILES: dict[str, dict[str, str]] = {
    "triples": {"t.csv": TRIPLES},
    "kgx": {"k_nodes.tsv": KGX_NODES, "k_edges.tsv": KGX_EDGES},
    "obo": {"o.obo": OBO},
    "obograph": {"o.json": OBOGRAPH},
    "owl": {"o.ttl": TURTLE},
    "functional": {"o.ofn": FUNCTIONAL},
    "primekg": {"kg.csv": PRIMEKG},
    "hetionet": {"nodes.tsv": HETIONET_NODES, "edges.sif": HETIONET_SIF},
    "umls": UMLS,
    "annotations": {"goa.gaf": GAF},
    "guide_to_pharmacology": {"interactions.csv": GUIDE},
    "graphml": {"g.graphml": GRAPHML},
    "node_link": {"g.json": NODE_LINK},
}
