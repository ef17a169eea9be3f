import { inspect } from 'node:util'

/** A value that prints as `[secret]` wherever it is logged, joined or serialised by accident. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
