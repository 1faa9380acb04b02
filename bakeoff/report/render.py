"""From a template to a page: one file, offline; what is not markup already is escaped."""

from collections.abc import Iterable

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bakeoff.report.charts import Picture


def render(template: str, **values: object) -> str:
    """The page that `template` makes of `values`, with the style sheet as `css`."""
    environment = Environment(
        loader=PackageLoader("bakeoff.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    css = Markup(environment.get_template("page.css").render())
    return environment.get_template(template).render(css=css, **values)


def inlined(pictures: Iterable[Picture]) -> list[dict[str, object]]:
    """Pictures as a template shows them."""
    # Vega escapes what it writes, and `to_svg` the label: these two are markup already.
    return [
        {
            "slug": picture.slug,
            "title": picture.title,
            "reading": picture.reading,
            "wide": Markup(picture.wide),
            "narrow": Markup(picture.narrow),
        }
        for picture in pictures
    ]
