import type { EnodeAddress } from '../../p2p/identity/enode.ts'
import type { AdminCall } from './messages.ts'

/**
 * The wishes of operators for the peers since the start: a thread that replaces another gets them again.
 */
export class OperatorWishes {
  readonly #statics: Map<string, EnodeAddress>
  /** By what is banned or not any more: the newest is last. */
  readonly #bans = new Map<string, AdminCall>()
  /** The last call that named the other members of the fleet. */
  #members: AdminCall | null = null

  /** @param statics nodes of the configuration */
  constructor(statics: readonly EnodeAddress[]) {
    this.#statics = new Map(statics.map((node) => [node.id, node]))
  }

  /** Nodes that are to be connected always, by now. */
  get statics(): readonly EnodeAddress[] {
    return [...this.#statics.values()]
  }

  /** Calls by which bans and members are as they were. */
  get again(): readonly AdminCall[] {
    return [...this.#bans.values(), ...(this.#members === null ? [] : [this.#members])]
  }

  /** Records a call that succeeded. */
  record(asked: AdminCall): void {
    switch (asked.call) {
      case 'add':
        this.#statics.set(asked.args[0].id, asked.args[0])
        return
      case 'remove':
        this.#statics.delete(asked.args[0])
        return
      case 'setMembers':
        this.#members = asked
        return
      case 'ban':
      case 'unban':
        this.#bans.delete(asked.args[0])
        this.#bans.set(asked.args[0], asked)
        return
      default:
    }
  }
}
