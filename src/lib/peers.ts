/**
 * The other processes of one server (`tradepost start --workers`), each of which has its own
 * memory. A topic has the same meaning in all of them.
 */
export interface Peers {
  /** Sends data to all others without waiting. It is lost if a process is just ending. */
  tell(topic: string, data: unknown): void
  /**
   * Sends data to all others, and returns what they return. Leaves out a process that does not
   * respond within a second. Never rejects.
   */
  ask(topic: string, data?: unknown): Promise<unknown[]>
  /** Sets what this process does with a topic, and returns to those who ask. */
  on<Data>(topic: string, receive: (data: Data) => unknown): void
}
