import { AccessAdmission, type AccessRules } from '../../src/gateway/access/accessAdmission.ts'
import type { AccessBook } from '../../src/gateway/access/accessBook.ts'
import type { Caller } from '../../src/gateway/access/caller.ts'
import { TrustedProxies } from '../../src/gateway/access/clientAddress.ts'
import { UNLIMITED } from '../../src/gateway/access/limits.ts'
import { UNLIMITED_MEMORY } from '../../src/gateway/access/memoryAccount.ts'
import { NO_OTHERS } from '../../src/gateway/access/othersUse.ts'
import type { AdmissionRequest } from '../../src/gateway/admission.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import { METHODS } from '../../src/rpc/methods.ts'
import type { KeyRecord } from '../../src/storage/access/keyRecord.ts'
import { addUsage, costOf, type DayUsage } from '../../src/storage/access/usageRecord.ts'

/** Place of a method. */
export function indexOf(name: string): number {
  const index = METHODS.findIndex((method) => method.name === name)
  if (index < 0) throw new Error(`no method ${name}`)
  return index
}

/** A request as the front describes it, from 192.0.2.1 unless said otherwise. */
export function requestOf(path: string, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return { path, origin: '', address: Uint8Array.of(192, 0, 2, 1).buffer, forwardedFor: '', ...more }
}

/** Keys and usage in memory. */
export class MemoryBook implements AccessBook {
  stored: readonly KeyRecord[] = []
  changes = 0
  readonly rows = new Map<string, DayUsage>()
  /** Thrown by the next writes. */
  trouble: Error | null = null
  writes = 0

  set(keys: readonly KeyRecord[]): void {
    this.stored = keys
    this.changes += 1
  }

  revision(): number {
    return this.changes
  }

  keys(): readonly KeyRecord[] {
    return this.stored
  }

  async addUsage(added: readonly DayUsage[]): Promise<void> {
    await Promise.resolve()
    if (this.trouble !== null) throw this.trouble
    this.writes += 1
    for (const usage of added) {
      const key = `${usage.day} ${usage.id}`
      const methods = new Map(this.rows.get(key)?.methods)
      for (const [method, one] of usage.methods) methods.set(method, addUsage(methods.get(method), one))
      this.rows.set(key, { ...usage, methods })
    }
  }

  ownCost(id: string, day: number): number {
    return this.usage(id, day, day).reduce((sum, { methods }) => sum + costOf(methods), 0)
  }

  usage(id: string, first: number, last: number): readonly DayUsage[] {
    return [...this.rows.values()].filter((row) => row.id === id && row.day >= first && row.day <= last)
  }

  async pruneUsage(firstKept: number): Promise<number> {
    const old = [...this.rows].filter(([, { day }]) => day < firstKept)
    for (const [key] of old) this.rows.delete(key)
    return old.length
  }
}

/** Admission with a store in memory and clocks that stand until they are set. */
export function openAccess(
  keys: readonly KeyRecord[],
  rules: Partial<AccessRules> = {},
  {
    wall = Date.parse('2026-11-22T12:00:00Z'),
    timezone = 'UTC',
    book = new MemoryBook(),
    others = NO_OTHERS,
  } = {},
) {
  const clock = { monotonic: 1000, wall }
  book.set(keys)
  const allRules: AccessRules = {
    requireKey: 'auto',
    keyLimits: UNLIMITED,
    clientLimits: UNLIMITED,
    proxies: new TrustedProxies([]),
    memory: UNLIMITED_MEMORY,
    ...rules,
  }
  const admission = new AccessAdmission({
    book,
    methods: METHODS,
    clocks: { monotonic: () => clock.monotonic, wall: () => clock.wall },
    timezone,
    retention: 400,
    rules: allRules,
    others,
  })
  const caller = (path: string, more: Partial<AdmissionRequest> = {}): Caller => {
    const admitted = admission.admit(requestOf(path, more))
    if (admitted instanceof RpcError) throw admitted
    return admitted
  }
  const charge = (who: Caller, name: string) => admission.charge(who, indexOf(name))
  return { admission, book, clock, caller, charge, rules: allRules }
}
