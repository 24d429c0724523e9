import type { FleetNames } from '../nats/names.ts'
import type { FleetConnection } from '../nats/natsConnection.ts'
import type { StabilityBus } from './logStability.ts'
import {
  type AppliedReport,
  decodeReport,
  decodeStable,
  encodeReport,
  encodeStable,
  type StableNotice,
} from './stabilityMessages.ts'

/** Messages about how far the log is applied, over core NATS. */
export class NatsStabilityBus implements StabilityBus {
  readonly #connection: FleetConnection
  readonly #names: FleetNames
  readonly #skipped: () => void

  /** @param skipped a message does not parse and is left out */
  constructor(connection: FleetConnection, names: FleetNames, skipped: () => void) {
    this.#connection = connection
    this.#names = names
    this.#skipped = skipped
  }

  report(report: AppliedReport): void {
    this.#publish(this.#names.appliedSubject, encodeReport(report))
  }

  tell(notice: StableNotice): void {
    this.#publish(this.#names.stableSubject, encodeStable(notice))
  }

  listen(onReport: (report: AppliedReport) => void): () => void {
    return this.#subscribe(this.#names.appliedSubject, (bytes) => onReport(decodeReport(bytes)))
  }

  /** Hears what the leader tells. @returns ends it */
  follow(onNotice: (notice: StableNotice) => void): () => void {
    return this.#subscribe(this.#names.stableSubject, (bytes) => onNotice(decodeStable(bytes)))
  }

  #publish(subject: string, message: Buffer): void {
    if (this.#connection.isConnected) this.#connection.nats.publish(subject, message)
  }

  #subscribe(subject: string, take: (bytes: Uint8Array) => void): () => void {
    const subscription = this.#connection.nats.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return
        try {
          take(message.data)
        } catch {
          this.#skipped()
        }
      },
    })
    return () => subscription.unsubscribe()
  }
}
