import type { StartRequest } from './inProcess.ts'
import type { NodeMetadata } from './startedNode.ts'

/** Messages to the process of a node. */
export type ChildOrder =
  | { readonly kind: 'start'; readonly request: StartRequest }
  | { readonly kind: 'stop' }

/** Messages from it. */
export type ChildMessage =
  | { readonly kind: 'ready'; readonly metadata: NodeMetadata }
  /** The node did not start, cannot continue or failed to stop. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
