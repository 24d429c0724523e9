/** Runs actions of the same name sequentially; those of different names run concurrently. */
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
