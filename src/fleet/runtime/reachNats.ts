import type { FleetConnection } from '../nats/natsConnection.ts'

/** Milliseconds between two attempts to reach NATS at the start. */
const PAUSE = 1000

/** Reaches NATS for the first time, however long that takes; null when it is not wanted any more. */
export async function reachNats(
  connect: () => Promise<FleetConnection>,
  isUnwanted: () => boolean,
  onFailure: (error: unknown) => void,
): Promise<FleetConnection | null> {
  while (!isUnwanted()) {
    try {
      const connection = await connect()
      if (!isUnwanted()) return connection
      await connection.close()
    } catch (error) {
      onFailure(error)
      await new Promise((resolve) => {
        setTimeout(resolve, PAUSE)
      })
    }
  }
  return null
}
