import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { KeyBucket } from '../../../src/fleet/access/keyBucket.ts'
import { FleetNames } from '../../../src/fleet/nats/names.ts'
import { openBucket } from '../../../src/fleet/nats/provision.ts'
import { AccessError } from '../../../src/storage/access/errors.ts'
import { NO_OWN_LIMITS } from '../../../src/storage/access/keyRecord.ts'
import { createSecret, hashSecret } from '../../../src/util/secretKey.ts'
import { NATS_USER } from '../../support/natsServer.ts'
import type { ClientKey } from '../checker/recordingClient.ts'

/** Limits of a key; none unless given. */
export interface KeyWanted {
  readonly rate?: number
  readonly burst?: number
  readonly dailyQuota?: number
  readonly methods?: readonly string[]
}

/**
 * Keys of a fleet as its commands make them, in this process: a process for each costs seconds, and a round of faults
 * makes several.
 */
export class FleetKeys {
  readonly #urls: readonly string[]
  readonly #names: FleetNames

  constructor(urls: readonly string[], fleet: string) {
    this.#urls = urls
    this.#names = new FleetNames(fleet)
  }

  /** @throws AccessError for an id that is taken */
  async create(id: string, { rate, burst, dailyQuota, methods }: KeyWanted): Promise<ClientKey> {
    const secret = createSecret()
    await this.#with((keys) =>
      keys.create({
        ...{ id, name: id, hash: hashSecret(secret), created: Date.now() },
        ...{ disabled: false, fromFile: false, fromFleet: false, previous: null },
        ...{ modules: null, origins: null, revertErrors: null, beyondHead: null },
        methods: methods === undefined ? null : new Set(methods),
        limits: {
          ...NO_OWN_LIMITS,
          ...{ rate: rate ?? null, burst: burst ?? null, dailyQuota: dailyQuota ?? null },
        },
      }),
    )
    return { id, secret }
  }

  async revoke(id: string): Promise<void> {
    await this.#with((keys) => keys.update(id, (key) => ({ ...key, disabled: true })))
  }

  /** Tries again where servers that were just started are without a leader, as an operator would. */
  async #with(action: (keys: KeyBucket) => Promise<unknown>): Promise<void> {
    const nats: NatsConnection = await connect({
      servers: [...this.#urls],
      user: NATS_USER.user,
      pass: NATS_USER.password,
    })
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          await action(new KeyBucket(await openBucket(nats, this.#names.keys)))
          return
        } catch (error) {
          // The attempt before has written it.
          if (attempt > 1 && error instanceof AccessError && error.code === 'ACCESS_TAKEN') return
          if (attempt === ATTEMPTS || error instanceof AccessError) throw error
        }
        // Servers without a leader may say so at once.
        await sleep(PAUSE_MS)
      }
    } finally {
      await nats.close()
    }
  }
}

const ATTEMPTS = 20
const PAUSE_MS = 500
