/** Form of a trace with its switches, as the native core writes it. */
export type NativeTraceForm =
  /** Every instruction, in the reference's form (evm.md §6.1). */
  | {
      readonly tracer: 'structLogs'
      readonly disableMemory: boolean
      readonly disableStack: boolean
      readonly disableStorage: boolean
    }
  /** Every instruction, in geth's form. */
  | {
      readonly tracer: 'gethLogs'
      readonly enableMemory: boolean
      readonly enableReturnData: boolean
      readonly disableStack: boolean
      readonly disableStorage: boolean
      /** Most entries; 0 for all. */
      readonly limit: number
    }
  /** Nested calls (evm.md §6.2). */
  | { readonly tracer: 'calls'; readonly onlyTopCall: boolean; readonly withLog: boolean }
  /** A list of calls in pre-order, one text each (evm.md §6.3). */
  | { readonly tracer: 'flat' }
  /** State touched, as it was before; with `diffMode` what changed, before and after. */
  | { readonly tracer: 'prestate'; readonly diffMode: boolean }
  /** Counts of the function selectors called. */
  | { readonly tracer: 'fourByte' }

/** Form of a trace with its switches. */
export type TraceForm =
  | NativeTraceForm
  /** The list of calls as one text. */
  | { readonly tracer: 'flatCalls' }
  /** An empty object. */
  | { readonly tracer: 'noop' }
  /** Several forms as an object by their names. Each is an execution of its own. */
  | { readonly tracer: 'mux'; readonly forms: readonly (readonly [string, TraceForm])[] }

/** Traces in a form that the native core has, with at most so many bytes of text; one per transaction. */
type Run<T> = (form: NativeTraceForm, maxBytes: number) => readonly T[]

/**
 * Traces in any form, put together of those that the native core has. All texts together have at most the bytes that
 * are given.
 * @throws NativeError as `run`
 */
export function tracedInForm<T extends { readonly texts: readonly string[] }>(
  form: TraceForm,
  maxBytes: number,
  run: Run<T>,
): readonly T[] {
  switch (form.tracer) {
    case 'flatCalls':
      return run({ tracer: 'flat' }, maxBytes).map((trace) => ({
        ...trace,
        texts: [`[${trace.texts.join(',')}]`],
      }))
    case 'noop':
      // The counts of selectors are the cheapest text that there is.
      return run({ tracer: 'fourByte' }, maxBytes).map((trace) => ({ ...trace, texts: ['{}'] }))
    case 'mux':
      return muxed(form.forms, maxBytes, run)
    default:
      return run(form, maxBytes)
  }
}

function muxed<T extends { readonly texts: readonly string[] }>(
  forms: readonly (readonly [string, TraceForm])[],
  maxBytes: number,
  run: Run<T>,
): readonly T[] {
  let left = maxBytes
  const parts = forms.map(([name, form]) => {
    const traces = tracedInForm(form, Math.max(left, 1), run)
    left -= traces.reduce((sum, { texts }) => sum + texts.reduce((bytes, text) => bytes + text.length, 0), 0)
    return { name, traces }
  })
  const members = (index: number) =>
    parts.map(({ name, traces }) => `${JSON.stringify(name)}:${traces[index]?.texts.join(',') ?? 'null'}`)
  const first = parts[0]?.traces ?? tracedInForm({ tracer: 'noop' }, maxBytes, run)
  return first.map((trace, index) => ({ ...trace, texts: [`{${members(index).join(',')}}`] }))
}
