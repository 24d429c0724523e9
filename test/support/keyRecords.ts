import { type KeyRecord, NO_OWN_LIMITS } from '../../src/storage/access/keyRecord.ts'
import { hashSecret } from '../../src/util/secretKey.ts'

/** A key that opens everything, with the secret `<id>-secret`. */
export function keyRecord(id: string, more: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    name: '',
    hash: hashSecret(`${id}-secret`),
    created: 1_795_000_000_000,
    disabled: false,
    fromFile: false,
    fromFleet: false,
    previous: null,
    methods: null,
    modules: null,
    origins: null,
    revertErrors: null,
    beyondHead: null,
    limits: NO_OWN_LIMITS,
    ...more,
  }
}
