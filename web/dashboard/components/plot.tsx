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
  // The plot's message in a sentence, shown while no value is.
  summary: string;
  // The values of the period before, drawn as a line behind.
  previous?: Series;
  // The last value is of today, which has not ended.
  today?: boolean;
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

// A plot as SVG, with the same figures in a table below. Values are read under the pointer, and with the arrow keys by a
// slider that lies invisibly on the plot.
export function Plot({ title, labels, series, format, tick = format, ticks = ticksOf, kind, summary, unit, previous, today }: PlotProps) {
  const id = useId();
  const { element, width } = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const all = previous ? [...series, previous] : series;
  const lines = ticks(Math.max(0, ...all.flatMap(({ values }) => values.map((each) => each ?? 0))));
  const most = lines.at(-1)!;
  const inner = height - top - bottom;
  const y = (value: number) => top + inner * (1 - value / most);
  const step = (width - left) / Math.max(1, labels.length);
  const x = (index: number) => left + step * (index + 0.5);
  const every = Math.max(1, Math.ceil((labels.length * 64) / (width - left)));
  const last = labels.length - 1;
  const said = (index: number) => [labels[index], ...all.map(({ name, values }) => `${name} ${values[index] == null ? "—" : format(values[index]!)}`)].join(" · ");
  const point = ({ offsetX }: PointerEvent) => setAt(offsetX < left ? null : Math.min(last, Math.floor((offsetX - left) / step)));
  const shown = at !== null && at <= last ? at : null;
  return (
    <figure class="plot">
      <figcaption class="plot-head">
        <h3 id={id}>{title}</h3>
        {all.length > 1 && (
          <ul class="legend">
            {all.map(({ name }, index) => (
              <li key={name}>
                <svg viewBox="0 0 20 8" aria-hidden="true" class={`series s${index === series.length ? 2 : index}`}>
                  <path d="M1 4h18" class="line" />
                </svg>
                {name}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      <p class="plot-value soft small" aria-hidden={shown === null ? undefined : "true"}>
        {shown === null ? summary : said(shown)}
      </p>
      <div class="plot-area">
        <input
          type="range"
          class="plot-keys"
          aria-label={title}
          aria-valuetext={said(shown ?? last)}
          min={0}
          max={last}
          value={shown ?? last}
          onFocus={() => setAt(last)}
          onBlur={() => setAt(null)}
          onInput={(event) => setAt(Number(event.currentTarget.value))}
        />
        <svg ref={element} onPointerMove={point} onPointerDown={point} onPointerLeave={() => setAt(null)} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${summary}`} class="chart">
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
              {kind === "bars" ? <Bars values={each.values} index={index} of={series.length} {...{ x, y, step, today }} /> : <Line values={each.values} {...{ x, y, today }} />}
            </g>
          ))}
          {previous && (
            <g class="series s2">
              <Line values={previous.values} {...{ x, y }} />
            </g>
          )}
          {shown !== null && <line class="guide" x1={x(shown)} x2={x(shown)} y1={top} y2={y(0)} />}
          {labels.map(
            (label, index) =>
              index % every === 0 && (
                <text key={index} class="tick" x={x(index)} y={height - 6} text-anchor="middle">
                  {label}
                </text>
              ),
          )}
        </svg>
      </div>
      <Twin {...{ title, labels, series: all, format, unit }} />
    </figure>
  );
}

interface Scale {
  values: (number | null)[];
  x(index: number): number;
  y(value: number): number;
  today?: boolean;
}

function Bars({ values, index, of, x, y, step, today }: Scale & { index: number; of: number; step: number }) {
  const wide = (step * 0.7) / of;
  const bars: ComponentChildren[] = [];
  values.forEach((value, at) => {
    if (value) bars.push(<rect key={at} class={today && at === values.length - 1 ? "today" : undefined} x={x(at) - (wide * of) / 2 + index * wide} y={y(value)} width={wide} height={Math.max(1, y(0) - y(value))} rx={Math.min(3, wide / 3)} />);
  });
  return <>{bars}</>;
}

// A gap for missing values; a single value is a dot.
function Line({ values, x, y, today }: Scale) {
  const place = (at: number) => `${x(at).toFixed(1)} ${y(values[at]!).toFixed(1)}`;
  const whole = today ? values.length - 1 : values.length;
  let path = "";
  let pen = false;
  values.slice(0, whole).forEach((value, at) => {
    if (value !== null) path += `${pen ? "L" : "M"}${place(at)}${pen || (values[at + 1] != null && at + 1 < whole) ? "" : "h.01"}`;
    pen = value !== null;
  });
  return (
    <>
      <path class="line" d={path} />
      {today && values[whole] != null && <path class="line today" d={pen ? `M${place(whole - 1)}L${place(whole)}` : `M${place(whole)}h.01`} />}
    </>
  );
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
