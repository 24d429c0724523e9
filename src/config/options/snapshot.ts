import type { OptionTable } from '../option.ts'

/** Trusted signers of snapshots, and the source of the snapshot of a new node. */
export const SNAPSHOT_OPTIONS = {
  snapshotKeys: {
    kind: 'list',
    group: 'Snapshots',
    placeholder: 'KEY:PROOF',
    default: [],
    doc: 'Keys of those whose signatures of snapshots count, as `rhizome snapshot key create` prints them',
  },
  snapshotQuorum: {
    kind: 'integer',
    group: 'Snapshots',
    minimum: 0,
    maximum: 1000,
    default: 0,
    doc: 'Signatures by these keys that a snapshot needs; 0 asks for all of them',
  },
  bootstrap: {
    kind: 'optionalText',
    group: 'Snapshots',
    placeholder: 'URL',
    default: null,
    doc: 'Folder or address of a signed snapshot that an empty data directory is filled from at the start',
  },
} as const satisfies OptionTable
