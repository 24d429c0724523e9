import { BEYOND_HEAD, type BeyondHead } from '../config/beyondHead.ts'
import { REVERT_FORMS, type RevertForm } from '../config/revertForm.ts'

/** Wishes of a caller for answers: as its key says, else as the node does. */
export interface Preferences {
  /** The form of reverts. */
  readonly reverts: RevertForm
  /** The treatment of a range of logs that ends beyond the head. */
  readonly beyondHead: BeyondHead
}

/** All that there are: a request carries one of these, so that none is made for it. */
export const PREFERENCES: readonly Preferences[] = REVERT_FORMS.flatMap((reverts) =>
  BEYOND_HEAD.map((beyondHead) => Object.freeze({ reverts, beyondHead })),
)

/** The one of {@link PREFERENCES} with these values. */
export function preferencesOf(reverts: RevertForm, beyondHead: BeyondHead): Preferences {
  const index = REVERT_FORMS.indexOf(reverts) * BEYOND_HEAD.length + BEYOND_HEAD.indexOf(beyondHead)
  return PREFERENCES[index] as Preferences
}
