import { AccessPart } from '../../fleet/access/accessPart.ts'
import { FilterPart } from '../../fleet/filters/filterPart.ts'
import type { FleetPart } from '../../fleet/part.ts'
import { readMemberKey } from '../../fleet/snapshots/memberKey.ts'
import { SnapshotPart } from '../../fleet/snapshots/snapshotPart.ts'
import { withObjects } from '../../fleet/snapshots/withObjects.ts'
import type { WorkPart } from '../../fleet/work/workPart.ts'
import { bootClock } from '../../native/bootClock.ts'
import type { FleetOptions } from '../options/fleetOptions.ts'
import { createSnapshotJobs } from './snapshotJobs.ts'

/**
 * What runs in the fleet thread beside the member, in the order in which it is started.
 * @param work also called by the chain thread
 */
export function createFleetParts(options: FleetOptions, work: WorkPart): readonly FleetPart[] {
  const { timezone, lease } = options
  return [
    new AccessPart({ timezone, lease, now: bootClock, wall: Date.now }),
    new FilterPart(),
    work,
    createSnapshotPart(options),
  ]
}

function createSnapshotPart(options: FleetOptions): SnapshotPart {
  const { chain, dataDir, version, connection, signerKey } = options
  const { snapshotBlocks: blocks, snapshotDepth: depth } = options
  return new SnapshotPart({
    blocks,
    depth,
    jobs: createSnapshotJobs({ chain, dataDir, depth, program: `Rhizome-${version}` }),
    readKey: async () => (signerKey === null ? null : readMemberKey(signerKey)),
    withObjects: (names, work) =>
      withObjects({ ...connection, name: `${connection.name} snapshots` }, names, work),
  })
}
