/**
 * Form of the error of a reverted execution: code and text of the specification, or those of geth
 * (decisions.md D43).
 */
export const REVERT_FORMS = ['reference', 'geth'] as const

/** One of {@link REVERT_FORMS}. */
export type RevertForm = (typeof REVERT_FORMS)[number]

/** True when a text names a form. */
export function isRevertForm(value: unknown): value is RevertForm {
  return REVERT_FORMS.some((form) => form === value)
}
