"""A topic in ten lines: litres of a liquid from its kilograms."""

from mpms.plugins import Job, Plugin, Topic


def litres(job: Job) -> dict[str, float]:
    kg, kg_per_litre = job.inputs["kg"], job.inputs["kg_per_litre"]
    return {"litres": round(kg / kg_per_litre, 3)}


plugin = Plugin("litres", topics={"convert.litres": Topic(litres)})
