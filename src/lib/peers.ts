/**
 * The other processes of the same server (`tradepost start --workers`). Each has its own memory. A
 * topic has the same meaning in all of them.
 */
export interface Peers {
  /**
   * Sends data to all other processes without waiting. A process that is ending may not receive it.
   */
  tell(topic: string, data: unknown): void
  /**
   * Sends data to all other processes, and returns what they return. Leaves out processes that do
   * not respond within a second. Never rejects.
   */
  ask(topic: string, data?: unknown): Promise<unknown[]>
  /**
   * Sets what this process does with the data for a topic, and what it returns to processes that
   * ask.
   */
  on<Data>(topic: string, receive: (data: Data) => unknown): void
}
