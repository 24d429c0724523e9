import type { FleetChainService, FleetFrontService, FleetStatus, FrontState } from '../interface.ts'

/** Milliseconds for which a word of another thread says that it is well. */
const WELL_FOR = 4500
/** Milliseconds after which the chain thread is asked for one. */
const QUIET_FOR = 1900

/** State of this member, as its other threads last said. */
export class OwnState {
  readonly #chain: Pick<FleetChainService, 'ping'>
  readonly #front: Pick<FleetFrontService, 'state'>
  #state: FrontState | null = null
  #frontAt = Number.NEGATIVE_INFINITY
  #chainAt = Number.NEGATIVE_INFINITY
  /** It was asked to leave. */
  isLeaving = false

  constructor(chain: Pick<FleetChainService, 'ping'>, front: Pick<FleetFrontService, 'state'>) {
    this.#chain = chain
    this.#front = front
  }

  get enode(): string | null {
    return this.#state?.enode ?? null
  }

  /** Node ids of connected peers. */
  get peers(): readonly string[] {
    return this.#state?.peers ?? []
  }

  get isDraining(): boolean {
    return this.isLeaving || this.#state?.draining === true
  }

  /** The chain thread has said something. */
  receivedFromChain(now: number): void {
    this.#chainAt = now
  }

  /** Asks both threads how they are, and gives the front thread the status of the fleet. */
  ask(status: FleetStatus): void {
    const ignore = () => undefined
    this.#front.state(status).then((state) => {
      this.#state = state
      this.#frontAt = performance.now()
    }, ignore)
    if (performance.now() - this.#chainAt > QUIET_FOR)
      this.#chain.ping().then(() => this.receivedFromChain(performance.now()), ignore)
  }

  /** Reason why this member is not ready; null when it is. */
  whyNot(now: number): string | null {
    if (this.isDraining) return 'leaving'
    if (now - this.#frontAt > WELL_FOR) return 'the front thread does not answer'
    if (now - this.#chainAt > WELL_FOR) return 'the chain thread does not answer'
    return this.#state?.whyNotReady ?? null
  }
}
