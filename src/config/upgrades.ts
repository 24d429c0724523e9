import type { Rule } from './rules.ts'

/**
 * The rules that each network upgrade activates where a network does not override them (consensus.md §1.3).
 * `rskip535` belongs to no upgrade: only networks that name it have it.
 */
// biome-ignore format: one name per line would hide the table
export const UPGRADES = {
  bahamas: ['rskip136'],
  afterBridgeSync: ['areBridgeTxsPaid'],
  orchid: [
    'rskip85', 'rskip87', 'rskip88', 'rskip89', 'rskip90', 'rskip91', 'rskip92', 'rskip97', 'rskip98',
  ],
  orchid060: ['rskip103'],
  wasabi100: [
    'rskip106', 'rskip110', 'rskip119', 'rskip120', 'rskip122', 'rskip123', 'rskip124', 'rskip125',
    'rskip126', 'rskip132',
  ],
  twoToThree: ['rskip150'],
  papyrus200: [
    'rskip134', 'rskip137', 'rskip140', 'rskip143', 'rskip146', 'rskip151', 'rskip152', 'rskip156',
    'rskipUMM',
  ],
  iris300: [
    'rskip153', 'rskip169', 'rskip170', 'rskip171', 'rskip174', 'rskip176', 'rskip179', 'rskip180',
    'rskip181', 'rskip185', 'rskip186', 'rskip191', 'rskip197', 'rskip199', 'rskip200', 'rskip201',
    'rskip218', 'rskip219', 'rskip220',
  ],
  hop400: ['rskip271', 'rskip284', 'rskip290', 'rskip293', 'rskip294', 'rskip297'],
  hop401: ['rskip353', 'rskip357'],
  fingerroot500: ['rskip252', 'rskip326', 'rskip374', 'rskip375', 'rskip377', 'rskip383', 'rskip385'],
  arrowhead600: [
    'rskip203', 'rskip376', 'rskip379', 'rskip398', 'rskip400', 'rskip412', 'rskip415', 'rskip417',
  ],
  arrowhead631: ['rskip434'],
  lovell700: [
    'rskip419', 'rskip427', 'rskip428', 'rskip438', 'rskip445', 'rskip446', 'rskip453', 'rskip454',
    'rskip459', 'rskip460',
  ],
  reed800: ['rskip305', 'rskip516'],
  reed810: ['rskip144', 'rskip351', 'rskip502', 'rskip529', 'rskip536'],
  vetiver900: ['rskip540', 'rskip544', 'rskip551', 'rskip552'],
  tbd1000: ['rskip559'],
} as const satisfies Record<string, readonly Rule[]>

/** Name of a network upgrade, e.g. `iris300`. */
export type Upgrade = keyof typeof UPGRADES
