import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { createFilterId } from '../../../src/fleet/filters/filterCall.ts'
import type { FleetFilters } from '../../../src/fleet/filters/fleetFilters.ts'
import type { FleetRuntime } from '../../../src/fleet/runtime/fleetRuntime.ts'
import type { AnnouncedBlocks } from '../../../src/gateway/entrance/announcedBlocks.ts'
import type { FleetChain } from '../../../src/node/chainThread/fleetChain.ts'

/** What of the program runs in a simulation. */
export interface SimModules {
  readonly FleetRuntime: typeof FleetRuntime
  readonly FleetChain: typeof FleetChain
  readonly FleetFilters: typeof FleetFilters
  readonly AnnouncedBlocks: typeof AnnouncedBlocks
  readonly createFilterId: typeof createFilterId
}

const FILES = [
  'fleet/runtime/fleetRuntime',
  'fleet/filters/fleetFilters',
  'fleet/filters/filterCall',
  'gateway/entrance/announcedBlocks',
  'node/chainThread/fleetChain',
]

/** @param folder of compiled files; this source unless given */
export async function loadModules(folder?: string): Promise<SimModules> {
  const urlOf = (name: string) =>
    folder === undefined
      ? new URL(`../../../src/${name}.ts`, import.meta.url)
      : pathToFileURL(join(folder, `${name}.js`))
  const all = await Promise.all(FILES.map((name) => import(urlOf(name).href) as Promise<object>))
  return Object.assign({}, ...all) as SimModules
}
