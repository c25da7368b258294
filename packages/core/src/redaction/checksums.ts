/** Whether `text` has the length and start of a payment card's number and ends in its check digit (Luhn). */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  return CARD.test(digits) && luhn(digits);
}

/** Visa, Mastercard, Discover, JCB, UnionPay (16 to 19 digits), American Express (15), Diners (14). */
const CARD =
  /^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|6(?:011|4[4-9]\d|5\d\d)\d{12}|35\d{14}|62\d{14,17}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11})$/;

function luhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const part = i % 2 === 0 ? digit : digit * 2;
    sum += part > 9 ? part - 9 : part;
  }
  return sum % 10 === 0 && /[1-9]/.test(digits);
}

/** Length of an IBAN by country, from the registry of ISO 13616. */
const IBAN_LENGTHS =
  'AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27GB22GE22' +
  'GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31' +
  'MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30';

const ibanLengths = new Map(
  Array.from(IBAN_LENGTHS.matchAll(/([A-Z]{2})(\d{2})/g), ([, country = '', length]) => [country, Number(length)]),
);

export const IBAN_COUNTRIES: readonly string[] = [...ibanLengths.keys()];

/** Whether `text` is an IBAN of a known country with right check digits (ISO 7064, modulo 97); spaces do not count. */
export function isBankAccount(text: string): boolean {
  const account = text.replaceAll(' ', '');
  const length = ibanLengths.get(account.slice(0, 2));
  if (length === undefined || account.length < length) return false;
  // Words that follow in capitals were taken along when they look like another group.
  const exact = account.slice(0, length);
  let rest = 0;
  for (const char of exact.slice(4) + exact.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Whether `text`, which starts with `+`, has as many digits as a telephone number of its kind (E.164: up to 15). */
export function isInternationalNumber(text: string): boolean {
  if (/^\+\d+\.\d+$/.test(text)) return false;
  const digits = text.replace(/\D/g, '');
  // North America has exactly ten digits after its 1; that also tells Unix times apart.
  if (digits.startsWith('1')) return digits.length === 11;
  const grouped = digits.length < text.length - 1;
  return digits.length <= 15 && digits.length >= (grouped ? 8 : 10);
}

/** Whether a number of at least `least` digits starts at `at`, in groups or in one piece. */
export function isLongNumber(text: string, at: number, least: number): boolean {
  let digits = 0;
  for (let i = at, end = Math.min(text.length, at + LONGEST_NUMBER); i < end; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) digits++;
    // Space ( ) - .
    else if (code !== 32 && code !== 40 && code !== 41 && code !== 45 && code !== 46) break;
    if (digits >= least) return true;
  }
  return false;
}

const LONGEST_NUMBER = 40;
