import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../app/i18n";
import { ticksOf } from "../app/ticks";
import { Table } from "./table";

export interface Series {
  name: string;
  values: (number | null)[];
}

export interface PlotProps {
  title: string;
  // One short label a value; also used in the table.
  labels: string[];
  series: Series[];
  format(value: number): string;
  // A shorter form for the axis.
  tick?(value: number): string;
  // The lines of the axis; the last is not below the greatest value.
  ticks?(most: number): number[];
  kind: "bars" | "lines";
  // The table's heading of the labels; by default days.
  unit?: string;
  // The plot's message in a sentence, for screen readers.
  summary: string;
}

const height = 200;
const left = 56;
const narrowest = 200;
const top = 18;
const bottom = 22;

// In pixels, so that text has its normal size.
function useWidth() {
  const element = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(narrowest, Math.round(entry!.contentRect.width))));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}

// A plot as SVG, with the same figures in a table below.
export function Plot({ title, labels, series, format, tick = format, ticks = ticksOf, kind, summary, unit }: PlotProps) {
  const id = useId();
  const { element, width } = useWidth();
  const lines = ticks(Math.max(0, ...series.flatMap(({ values }) => values.map((each) => each ?? 0))));
  const most = lines.at(-1)!;
  const inner = height - top - bottom;
  const y = (value: number) => top + inner * (1 - value / most);
  const step = (width - left) / Math.max(1, labels.length);
  const x = (index: number) => left + step * (index + 0.5);
  const every = Math.max(1, Math.ceil((labels.length * 64) / (width - left)));
  return (
    <figure class="plot">
      <figcaption class="plot-head">
        <h3 id={id}>{title}</h3>
        {series.length > 1 && (
          <ul class="legend">
            {series.map(({ name }, index) => (
              <li key={name}>
                <svg viewBox="0 0 20 8" aria-hidden="true" class={`series s${index}`}>
                  <path d="M1 4h18" class="line" />
                </svg>
                {name}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <svg ref={element} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${summary}`} class="chart">
        {lines.map((value) => (
          <g key={value}>
            <line class="grid" x1={left} x2={width} y1={y(value)} y2={y(value)} />
            <text class="tick" x={left - 8} y={y(value) + 4} text-anchor="end">
              {tick(value)}
            </text>
          </g>
        ))}
        {series.map((each, index) => (
          <g key={each.name} class={`series s${index}`}>
            {kind === "bars" ? <Bars values={each.values} index={index} of={series.length} {...{ x, y, step }} /> : <Line values={each.values} {...{ x, y }} />}
          </g>
        ))}
        {labels.map(
          (label, index) =>
            index % every === 0 && (
              <text key={index} class="tick" x={x(index)} y={height - 6} text-anchor="middle">
                {label}
              </text>
            ),
        )}
      </svg>
      <Twin {...{ title, labels, series, format, unit }} />
    </figure>
  );
}

interface Scale {
  x(index: number): number;
  y(value: number): number;
}

function Bars({ values, index, of, x, y, step }: Scale & { values: (number | null)[]; index: number; of: number; step: number }) {
  const wide = (step * 0.7) / of;
  const bars: ComponentChildren[] = [];
  values.forEach((value, at) => {
    if (value) bars.push(<rect key={at} x={x(at) - (wide * of) / 2 + index * wide} y={y(value)} width={wide} height={Math.max(1, y(0) - y(value))} rx={Math.min(3, wide / 3)} />);
  });
  return <>{bars}</>;
}

// A gap for missing values; a single value is a dot.
function Line({ values, x, y }: Scale & { values: (number | null)[] }) {
  let path = "";
  let pen = false;
  values.forEach((value, at) => {
    if (value !== null) path += `${pen ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}${pen || values[at + 1] != null ? "" : "h.01"}`;
    pen = value !== null;
  });
  return <path class="line" d={path} />;
}

interface TwinRow {
  label: string;
  index: number;
}

const Twin = ({ title, labels, series, format, unit }: Pick<PlotProps, "title" | "labels" | "series" | "format" | "unit">) => (
  <details class="twin">
    <summary>{t("asTable")}</summary>
    <div class="scroll" role="region" aria-label={title} tabIndex={0}>
      <Table<TwinRow>
        caption={title}
        rows={labels.map((label, index) => ({ label, index }))}
        rowKey={({ index }) => String(index)}
        columns={[
          { key: "label", head: unit ?? t("day"), cell: ({ label }) => label },
          ...series.map(({ name, values }) => ({
            key: name,
            head: name,
            number: true,
            cell: ({ index }: TwinRow) => (values[index] == null ? "—" : format(values[index]!)),
          })),
        ]}
      />
    </div>
  </details>
);
