/** A series of bars or points. */
export interface Series {
  readonly name: string
  /** One value per category; null where none was measured. */
  readonly values: readonly (number | null)[]
}

const COLOURS = ['#1b6ca8', '#8ecae6', '#e07a5f', '#81b29a', '#f2cc8f', '#6d597a']
const LABEL_WIDTH = 330
const PLOT_WIDTH = 560
const BAR = 9
const GAP = 10
const TOP = 50
const LINE_HEIGHT = 300
const LEFT = 70

/** Horizontal bars on a logarithmic scale, grouped by category: an SVG document. */
export function barChart(title: string, categories: readonly string[], series: readonly Series[]): string {
  const values = series.flatMap((item) => item.values).filter((value) => value !== null && value > 0)
  const { low, high } = decades(values as number[])
  const scale = (value: number) => ((Math.log10(value) - low) / (high - low)) * PLOT_WIDTH
  const group = series.length * BAR + GAP
  const height = TOP + categories.length * group + 30
  const grid = ticks(low, high).map((value) => {
    const x = LABEL_WIDTH + scale(value)
    return `<path d="M${fixed(x)} ${TOP}V${height - 25}" stroke="#ddd"/>${text(x, height - 10, short(value), 'middle')}`
  })
  const bars = categories.flatMap((category, row) => {
    const y = TOP + row * group
    return [
      text(LABEL_WIDTH - 8, y + (series.length * BAR) / 2 + 4, category, 'end'),
      ...series.map(({ values: list }, index) => {
        const value = list[row]
        if (value === null || value === undefined || value <= 0) return ''
        const width = fixed(Math.max(1, scale(value)))
        return `<rect x="${LABEL_WIDTH}" y="${y + index * BAR}" width="${width}" height="${BAR - 1}" fill="${colour(index)}"/>`
      }),
    ]
  })
  return document(LABEL_WIDTH + PLOT_WIDTH + 40, height, title, series, [...grid, ...bars])
}

/** Lines over a logarithmic axis of sizes, with a logarithmic axis of values: an SVG document. */
export function lineChart(title: string, sizes: readonly number[], series: readonly Series[]): string {
  const values = series.flatMap((item) => item.values).filter((value) => value !== null && value > 0)
  const { low, high } = decades(values as number[])
  const [first, last] = [Math.log10(Math.min(...sizes)), Math.log10(Math.max(...sizes))]
  const x = (size: number) => LEFT + ((Math.log10(size) - first) / Math.max(last - first, 1)) * PLOT_WIDTH
  const y = (value: number) => TOP + LINE_HEIGHT - ((Math.log10(value) - low) / (high - low)) * LINE_HEIGHT
  const grid = [
    ...ticks(low, high).map(
      (value) =>
        `<path d="M${LEFT} ${fixed(y(value))}h${PLOT_WIDTH}" stroke="#ddd"/>${text(LEFT - 6, y(value) + 4, short(value), 'end')}`,
    ),
    ...sizes.map((size) => text(x(size), TOP + LINE_HEIGHT + 18, short(size), 'middle')),
  ]
  const lines = series.map(({ values: list }, index) => {
    const points = list.flatMap((value, i) =>
      value === null || value <= 0 ? [] : [`${fixed(x(sizes[i] ?? 1))},${fixed(y(value))}`],
    )
    const dots = points.map((point) => {
      const [cx = '0', cy = '0'] = point.split(',')
      return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour(index)}"/>`
    })
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour(index)}" stroke-width="2"/>${dots.join('')}`
  })
  return document(LEFT + PLOT_WIDTH + 40, TOP + LINE_HEIGHT + 40, title, series, [...grid, ...lines])
}

function document(
  width: number,
  height: number,
  title: string,
  series: readonly Series[],
  parts: string[],
): string {
  const legend = series.map(
    ({ name }, index) =>
      `<rect x="${10 + index * 150}" y="28" width="10" height="10" fill="${colour(index)}"/>${text(24 + index * 150, 37, name, 'start')}`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="11">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" fill="white"/>
<text x="10" y="18" font-size="14">${escaped(title)}</text>
${[...legend, ...parts].filter((part) => part !== '').join('\n')}
</svg>
`
}

/** Exponents of the powers of ten around all values. */
function decades(values: readonly number[]): { low: number; high: number } {
  if (values.length === 0) return { low: 0, high: 1 }
  const low = Math.floor(Math.log10(Math.min(...values)))
  return { low, high: Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)))) }
}

function ticks(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i))
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}">${escaped(content)}</text>`
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6}M`
  if (value >= 1e3) return `${value / 1e3}k`
  return String(Number(value.toPrecision(3)))
}

function colour(index: number): string {
  return COLOURS[index % COLOURS.length] as string
}

function fixed(value: number): string {
  return value.toFixed(1)
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
