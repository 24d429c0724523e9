/** Runs actions of one name one after another; those of different names do not wait for each other. */
export class SerialTasks {
  readonly #last = new Map<string, Promise<unknown>>()

  run<T>(name: string, action: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(name) ?? Promise.resolve()).then(action)
    const done = result.then(
      () => undefined,
      () => undefined,
    )
    this.#last.set(name, done)
    void done.then(() => {
      if (this.#last.get(name) === done) this.#last.delete(name)
    })
    return result
  }
}
