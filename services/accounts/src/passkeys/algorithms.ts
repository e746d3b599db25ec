/** EdDSA, ECDSA with P-256, RSA (COSE): what browsers and phones have. */
export const algorithms = [-8, -7, -257];
