import type { RevertForm } from '../../config/revertForm.ts'
import type { Route } from '../router.ts'

/** Behind the indexes of all methods: there are the answers in another form than the node's own. */
const OTHER_FORM = 0x8000

/**
 * Key by which every cache keeps the answers of a method: its index, so that the native core finds them by itself; where
 * answers tell of reverts and the caller wants another form than the node's own, an index that the native core never
 * asks for.
 * @param own form of callers that want none
 */
export function responseKey({ index, definition }: Route, reverts: RevertForm, own: RevertForm): number {
  return reverts === own || !definition.reportsReverts ? index : index + OTHER_FORM
}
