import type { Fact } from '../connector/http-connector.ts'

/** What we know about Flutterwave only from others, or suppose. */
export const FACTS: readonly Fact[] = [
  {
    id: 'FW1',
    mark: 'K',
    claim: 'A transfer with a reference that was used before is refused.',
    ifWrong: 'Nothing is lost: an order that is not found is never sent again by itself.',
  },
  {
    id: 'FW2',
    mark: 'C',
    claim: 'The list of transfers can be filtered by reference.',
    ifWrong: 'A transfer whose response was lost waits for a person.',
  },
  {
    id: 'FW3',
    mark: 'K',
    claim: 'A transfer that is not found may still arrive.',
    ifWrong: 'Nothing is lost: a person decides about transfers that could be sent again.',
  },
  {
    id: 'FW4',
    mark: 'K',
    claim: 'A transfer that fails after it was successful was returned by the bank.',
    ifWrong: 'The money is booked back; a later success opens a difference.',
  },
  {
    // developer.flutterwave.com/v3.0.0/reference/get-all-refunds
    id: 'FW5',
    mark: 'C',
    claim: 'A refund is paid when it is "successful", or says how, as "completed-bank-transfer".',
    ifWrong: 'The refund stays pending; the reconciliation shows what was paid.',
  },
  {
    id: 'FW6',
    mark: 'K',
    claim: 'Refunds can be listed by the id of their transaction, and repeat our comment.',
    ifWrong: 'A refund whose response was lost waits for a person.',
  },
  {
    id: 'FW7',
    mark: 'C',
    claim: "Notifications of newer accounts are also signed with the account's secret hash.",
    ifWrong: 'Signed notifications are refused, and lookups find everything later.',
  },
  {
    id: 'FW8',
    mark: 'K',
    claim: 'Notifications are repeated only if that is turned on in the dashboard.',
    ifWrong: 'Nothing is lost: lookups find everything later.',
  },
  {
    id: 'FW10',
    mark: 'K',
    claim: 'An account takes any amount, and one reference can be paid several times.',
    ifWrong: 'Nothing is lost: each payment that is listed is booked once.',
  },
  {
    // The two published shapes of a bill: one has no status, the other not our reference.
    id: 'FW11',
    mark: 'C',
    claim: "A bill is found by Flutterwave's tx_ref. Its status or our reference may be missing.",
    ifWrong: 'A person is asked whether the bill was delivered. It is never bought again.',
  },
  {
    id: 'FW12',
    mark: 'K',
    claim: 'The commission on a bill is added to the balance.',
    ifWrong: "The reconciliation shows the day's difference.",
  },
  {
    id: 'FW13',
    mark: 'C',
    claim: 'In the test environment, a transfer succeeds if its reference ends in "_PMCK".',
    ifWrong: 'Test transfers stay pending.',
  },
  {
    id: 'FW14',
    mark: 'C',
    claim: 'A refusal because of our address mentions "IP Whitelisting".',
    ifWrong: 'The order stays open until a person looks at it.',
  },
  {
    id: 'FW15',
    mark: 'K',
    claim: 'Transfers are paid from the available balance, to which payments must be settled.',
    ifWrong: 'Nothing is lost: transfers fail while the balance is too low.',
  },
  {
    id: 'FW16',
    mark: 'C',
    claim: 'A transfer for which there is too little money fails with "Insufficient funds".',
    ifWrong: 'The transfer fails, and its money returns to the wallet.',
  },
  {
    id: 'FW17',
    mark: 'K',
    claim: 'A charge that nobody has tried to pay has no transaction.',
    ifWrong: 'Nothing is lost: the charge is pending either way.',
  },
  {
    id: 'FW19',
    mark: 'K',
    claim: 'A feature that is off for the account is refused with "not enabled" or "disabled".',
    ifWrong: 'The order stays open until a person looks at it.',
  },
  {
    id: 'FW20',
    mark: 'K',
    claim: 'A batch can have 100 transfers.',
    ifWrong: 'The batch is refused as a whole, and each of its transfers waits for a person.',
  },
  {
    id: 'FW21',
    mark: 'K',
    claim: 'Refusals for lack of money, a limit or missing approval are known by their text.',
    ifWrong: 'The order stays open until a person looks at it.',
  },
  {
    id: 'FW22',
    mark: 'K',
    claim: 'Refusals of an account, a bank, an amount or a refund are known by their text.',
    ifWrong: 'The order stays open until a person looks at it.',
  },
  {
    id: 'FW23',
    mark: 'K',
    claim: 'Notifications and lists repeat our reference as it was sent.',
    ifWrong: 'Payments are found by their number, or open a difference.',
  },
  {
    id: 'FW24',
    mark: 'K',
    claim: 'After a response of 401, 403 or 429, nothing was done.',
    ifWrong: 'Nothing is paid twice: payouts and refunds are only sent again after proof.',
  },
  {
    // developer.flutterwave.com/v3.0.0/reference/list-a-chargeback
    id: 'FW25',
    mark: 'C',
    claim: 'Chargebacks are only listed, also by the id of their payment, and not looked up by id.',
    ifWrong: 'Open chargebacks are not looked up; the list of new ones is read every six hours.',
  },
  {
    id: 'FW26',
    mark: 'C',
    claim: 'The transfer_amount of an account is what its payer must send.',
    ifWrong: 'No account is opened: payments go through another connection, or another channel.',
  },
]
