import type { StartRequest } from './inProcess.ts'
import type { NodeMetadata } from './startedNode.ts'

/** What the process of a node is told. */
export type ChildOrder =
  | { readonly kind: 'start'; readonly request: StartRequest }
  | { readonly kind: 'stop' }

/** What it tells. */
export type ChildMessage =
  | { readonly kind: 'ready'; readonly metadata: NodeMetadata }
  /** It did not start, cannot go on or did not stop as it should. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
