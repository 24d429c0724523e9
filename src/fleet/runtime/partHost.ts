import type { Logger } from '../../observe/logger.ts'
import type { FleetFrontEvent } from '../interface.ts'
import type { FleetPart, FleetPartContext } from '../part.ts'

/** The context that all parts share. */
export type SharedContext = Omit<FleetPartContext, 'log' | 'tellFront'>

export interface PartHostOptions {
  readonly log: Logger
  tell(event: FleetFrontEvent): void
  onFailure(part: string, error: unknown): void
}

/** The parts of a member: what one of them throws stops no other. */
export class PartHost {
  readonly #parts: readonly FleetPart[]
  readonly #options: PartHostOptions

  constructor(parts: readonly FleetPart[], options: PartHostOptions) {
    this.#parts = parts
    this.#options = options
  }

  /** NATS is reached for the first time. */
  start(shared: SharedContext): void {
    const { log, tell, onFailure } = this.#options
    for (const part of this.#parts) {
      const { name } = part
      const context: FleetPartContext = {
        ...shared,
        log: log.child({ part: `fleet ${name}` }),
        tellFront: (message) => tell({ kind: 'part', part: name, message }),
      }
      part.start(context).catch((error: unknown) => onFailure(name, error))
    }
  }

  async stop(): Promise<void> {
    const { onFailure } = this.#options
    for (const part of this.#parts) await part.stop().catch((error: unknown) => onFailure(part.name, error))
  }

  reconnected(): void {
    this.#each((part) => part.reconnected?.())
  }

  tellWork(template: Buffer): void {
    this.#each((part) => part.tellWork?.(template))
  }

  /** A message of the front thread for one of them. */
  fromFront(name: string, message: unknown): void {
    this.#each((part) => part.name === name && part.fromFront?.(message))
  }

  /** Calls listeners of parts. */
  tellEach(listeners: Iterable<() => void>): void {
    for (const listener of listeners) this.#attempt('listener', listener)
  }

  #each(action: (part: FleetPart) => unknown): void {
    for (const part of this.#parts) this.#attempt(part.name, () => action(part))
  }

  #attempt(name: string, action: () => unknown): void {
    try {
      action()
    } catch (error) {
      this.#options.onFailure(name, error)
    }
  }
}
