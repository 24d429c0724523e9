import { AccessPart } from '../../fleet/access/accessPart.ts'
import { FilterPart } from '../../fleet/filters/filterPart.ts'
import type { FleetPart } from '../../fleet/part.ts'
import { SnapshotPart } from '../../fleet/snapshots/snapshotPart.ts'
import { withObjects } from '../../fleet/snapshots/withObjects.ts'
import type { WorkPart } from '../../fleet/work/workPart.ts'
import { bootClock } from '../../native/bootClock.ts'
import type { SignerKey } from '../../snapshot/blsKeys.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'
import { createSnapshotJobs } from './snapshotJobs.ts'

/**
 * What runs in the fleet thread beside the member, in the order in which it is started.
 * @param work also called by the chain thread
 * @param readKey the key with which this member signs; null for none
 */
export function createFleetParts(
  options: FleetOptions,
  work: WorkPart,
  readKey: () => Promise<SignerKey | null>,
): readonly FleetPart[] {
  const { timezone, lease } = options
  return [
    new AccessPart({ timezone, lease, now: bootClock, wall: Date.now }),
    new FilterPart(),
    work,
    createSnapshotPart(options, readKey),
  ]
}

function createSnapshotPart(options: FleetOptions, readKey: () => Promise<SignerKey | null>): SnapshotPart {
  const { chain, dataDir, version, connection } = options
  const { snapshotBlocks: blocks, snapshotDepth: depth } = options
  return new SnapshotPart({
    blocks,
    depth,
    jobs: createSnapshotJobs({ chain, dataDir, depth, program: `Rhizome-${version}` }),
    readKey,
    withObjects: (names, work) =>
      withObjects({ ...connection, name: `${connection.name} snapshots` }, names, work),
  })
}
