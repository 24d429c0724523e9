import type { FleetNames } from '../nats/names.ts'
import { connectFleet, type FleetConnectionOptions } from '../nats/natsConnection.ts'
import { SnapshotObjects } from './snapshotObjects.ts'

/** Works with the snapshots of a fleet over a connection of its own. @throws FleetError */
export async function withObjects<T>(
  options: FleetConnectionOptions,
  names: FleetNames,
  work: (objects: SnapshotObjects) => Promise<T>,
): Promise<T> {
  const connection = await connectFleet(options)
  try {
    return await work(await SnapshotObjects.open(connection.nats, names))
  } finally {
    await connection.close()
  }
}
