import type { Fact } from '../connector/http-connector.ts'

/** What we know about Paystack only from others, or suppose. */
export const FACTS: readonly Fact[] = [
  {
    id: 'PS1',
    mark: 'C',
    claim: 'A transfer with a reference that was used before is refused.',
    ifWrong: 'An order that two lookups did not find for ten minutes could be paid twice.',
  },
  {
    id: 'PS2',
    mark: 'C',
    claim: 'The refusal says that the reference exists, is a duplicate or must be unique.',
    ifWrong: 'The order stays open until a person looks at it.',
  },
  {
    id: 'PS3',
    mark: 'K',
    claim: 'Refunds can be listed by transaction, and repeat the note to the merchant.',
    ifWrong: 'A refund whose response was lost waits for a person.',
  },
  {
    id: 'PS4',
    mark: 'K',
    claim: 'A batch can have 100 transfers.',
    ifWrong: 'The batch is refused as a whole, and waits for a person.',
  },
  {
    id: 'PS5',
    mark: 'K',
    claim: '10 requests and 4 transfers a second are allowed.',
    ifWrong: 'Requests are refused with 429, and sent again later.',
  },
  {
    id: 'PS8',
    mark: 'K',
    claim: 'A dispute takes money from the balance when it is lost or accepted.',
    ifWrong: "The reconciliation shows the day's difference.",
  },
  {
    id: 'PS9',
    mark: 'K',
    claim: 'Automatic settlement empties the balance from which transfers are paid.',
    ifWrong: 'Nothing is lost: transfers wait while the balance is too low.',
  },
  {
    id: 'PS10',
    mark: 'C',
    claim: 'New accounts have to confirm each transfer with a one-time password.',
    ifWrong: 'Nothing is lost: such a transfer is Blocked until a person confirms it.',
  },
  {
    id: 'PS11',
    mark: 'C',
    claim: 'Test keys can ask for the holders of only a few real accounts a day.',
    ifWrong: 'Nothing is lost: the name is only advice.',
  },
  {
    id: 'PS12',
    mark: 'K',
    claim: 'A refund takes its amount from the balance, and the fee of the payment is kept.',
    ifWrong: 'The deducted amount or the reconciliation shows the difference.',
  },
  {
    id: 'PS14',
    mark: 'K',
    claim: "On Paystack's page, a payer can try again after a payment has failed.",
    ifWrong: 'Nothing is lost: the payment is pending until its time is over.',
  },
  {
    id: 'PS15',
    mark: 'K',
    claim: 'Refusals for lack of money, a limit or a feature that is off are known by their text.',
    ifWrong: 'The order stays open until a person looks at it.',
  },
  {
    id: 'PS16',
    mark: 'K',
    claim: 'Refusals of an account, an amount or a refund are known by their text.',
    ifWrong: 'The order stays open until a person looks at it.',
  },
  {
    id: 'PS17',
    mark: 'K',
    claim: 'Notifications and lists repeat our reference as it was sent.',
    ifWrong: 'Payments are found by their number, or open a difference.',
  },
  {
    id: 'PS18',
    mark: 'K',
    claim: 'After a response of 401, 403 or 429, nothing was done.',
    ifWrong: 'Nothing is paid twice: payouts and refunds are only sent again after proof.',
  },
  {
    // paystack.com/docs/transfers/how-transfers-work
    id: 'PS19',
    mark: 'C',
    claim: 'A transfer that is blocked or reversed is over: nothing more happens to it.',
    ifWrong: 'The money is back in the wallet; a later payment opens a difference.',
  },
  {
    // paystack.com/docs/api/dispute: only in the examples, and not in Paystack's description.
    id: 'PS20',
    mark: 'C',
    claim: 'The URL for the file of a response is asked for with the name of the file.',
    ifWrong: 'The response is not sent, and waits for a person.',
  },
  {
    // paystack.com/docs/api/settlement
    id: 'PS21',
    mark: 'C',
    claim: 'With "subaccount" as "none", only what is settled to the own bank is listed.',
    ifWrong: 'Settlements to subaccounts are booked as paid to the own bank.',
  },
  {
    id: 'PS22',
    mark: 'K',
    claim: 'A refund that a dispute has caused names the dispute, which has the same amount.',
    ifWrong: 'The reconciliation shows the money twice, or not at all.',
  },
]
