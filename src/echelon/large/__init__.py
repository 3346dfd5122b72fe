"""Tables larger than memory: what all rows say, and a sample of them for everything else.

``_source``   the rows, part by part: Parquet files, or a Dask DataFrame
``_columns``  what single columns hold in all rows, and how often values meet those of the target
``_draw``     disjoint samples, stratified by the target, and what is known of all rows
``_sample``   rows that were drawn, and the samples that become of them once they are read
"""

from echelon.large._draw import draw
from echelon.large._sample import AllRows, Drawn, Sample
from echelon.large._source import Files, Frames, Part, Source

__all__ = ["AllRows", "Drawn", "Files", "Frames", "Part", "Sample", "Source", "draw"]
