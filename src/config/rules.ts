/**
 * The consensus rules that are activated at a height, named after their RSKIP, in the order of
 * `native/crates/primitives/src/rules.rs` (a test compares the two).
 */
// biome-ignore format: one name per line would hide the table
export const RULES = [
  'areBridgeTxsPaid', 'rskip85', 'rskip87', 'rskip88', 'rskip89', 'rskip90', 'rskip91', 'rskip92',
  'rskip97', 'rskip98', 'rskip103', 'rskip106', 'rskip110', 'rskip119', 'rskip120', 'rskip122', 'rskip123',
  'rskip124', 'rskip125', 'rskip126', 'rskip132', 'rskip134', 'rskip136', 'rskip137', 'rskip140',
  'rskip143', 'rskip144', 'rskip146', 'rskip150', 'rskip151', 'rskip152', 'rskip153', 'rskip156',
  'rskip169', 'rskip170', 'rskip171', 'rskip174', 'rskip176', 'rskip179', 'rskip180', 'rskip181',
  'rskip185', 'rskip186', 'rskip191', 'rskip197', 'rskip199', 'rskip200', 'rskip201', 'rskip203',
  'rskip218', 'rskip219', 'rskip220', 'rskip252', 'rskip271', 'rskip284', 'rskip290', 'rskip293',
  'rskip294', 'rskip297', 'rskip305', 'rskip326', 'rskip351', 'rskip353', 'rskip357', 'rskip374',
  'rskip375', 'rskip376', 'rskip377', 'rskip379', 'rskip383', 'rskip385', 'rskip398', 'rskip400',
  'rskip412', 'rskip415', 'rskip417', 'rskip419', 'rskip427', 'rskip428', 'rskip434', 'rskip438',
  'rskip445', 'rskip446', 'rskip453', 'rskip454', 'rskip459', 'rskip460', 'rskip502', 'rskip516',
  'rskip529', 'rskip535', 'rskip536', 'rskip540', 'rskip544', 'rskip551', 'rskip552', 'rskip559',
  'rskipUMM',
] as const

/** Name of a rule, e.g. `rskip144`. */
export type Rule = (typeof RULES)[number]

const NAMES: ReadonlySet<string> = new Set(RULES)

/** True when the text names a rule. */
export function isRule(name: string): name is Rule {
  return NAMES.has(name)
}
