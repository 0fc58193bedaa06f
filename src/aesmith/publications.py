"""The publications that the designs in this project come from, each known by *first author + year*."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Publication:
    """A citation: `key` is first author + year, for example `canright2005`."""

    key: str
    authors: str
    title: str
    venue: str
    year: int

    def __str__(self) -> str:
        return f"{self.authors}, “{self.title}”, {self.venue}, {self.year}"


PUBLICATIONS = {
    publication.key: publication
    for publication in (
        Publication(
            "fips197",
            "National Institute of Standards and Technology",
            "Advanced Encryption Standard (AES)",
            "FIPS 197",
            2001,
        ),
        Publication("canright2005", "D. Canright", "A Very Compact S-Box for AES", "CHES 2005, LNCS 3659", 2005),
        Publication(
            "ueno2015",
            "R. Ueno, N. Homma, Y. Sugawara, Y. Nogami, T. Aoki",
            "Highly Efficient GF(2^8) Inversion Circuit Based on Redundant GF Arithmetic and Its Application to AES "
            "Design",
            "CHES 2015, LNCS 9293",
            2015,
        ),
        Publication(
            "ueno2020",
            "R. Ueno, S. Morioka, N. Miura, K. Matsuda, M. Nagata, S. Bhasin, Y. Mathieu, T. Graba, J.-L. Danger, "
            "N. Homma",
            "High Throughput/Gate AES Hardware Architectures Based on Datapath Compression",
            "IEEE Transactions on Computers 69(4)",
            2020,
        ),
        Publication(
            "ueno2016",
            "R. Ueno, S. Morioka, N. Homma, T. Aoki",
            "A High Throughput/Gate AES Hardware Architecture by Compressing Encryption and Decryption Datapaths",
            "CHES 2016, LNCS 9813",
            2016,
        ),
        Publication(
            "lutz2002",
            "A. K. Lutz, J. Treichler, F. K. Gürkaynak, H. Kaeslin, G. Basler, A. Erni, S. Reichmuth, P. Rommens, "
            "S. Oetiker, W. Fichtner",
            "2Gbit/s Hardware Realizations of RIJNDAEL and SERPENT: A Comparative Analysis",
            "CHES 2002, LNCS 2523",
            2002,
        ),
        Publication(
            "liu2009",
            "P.-C. Liu, H.-C. Chang, C.-Y. Lee",
            "A 1.69 Gb/s Area-Efficient AES Crypto Core with Compact On-the-Fly Key Expansion Unit",
            "ESSCIRC 2009",
            2009,
        ),
        Publication(
            "mathew2011",
            "S. K. Mathew, F. Sheikh, M. Kounavis, S. Gueron, A. Agarwal, S. K. Hsu, H. Kaul, M. A. Anders, "
            "R. K. Krishnamurthy",
            "53 Gbps Native GF((2^4)^2) Composite-Field AES-Encrypt/Decrypt Accelerator for Content-Protection in "
            "45 nm High-Performance Microprocessors",
            "IEEE Journal of Solid-State Circuits 46(4)",
            2011,
        ),
        Publication(
            "gueron2016",
            "S. Gueron, S. Mathew",
            "Hardware Implementation of AES Using Area-Optimal Polynomials for Composite-Field Representation "
            "GF(2^4)^2 of GF(2^8)",
            "IEEE 23rd Symposium on Computer Arithmetic (ARITH)",
            2016,
        ),
        Publication(
            "sasebo",
            "Research Center for Information Security, AIST; A. Satoh",
            "SASEBO AES cryptographic circuits",
            "Side-channel Attack Standard Evaluation Board, circuit macros",
            2007,
        ),
        Publication(
            "satoh2001",
            "A. Satoh, S. Morioka, K. Takano, S. Munetoh",
            "A Compact Rijndael Hardware Architecture with S-Box Optimization",
            "ASIACRYPT 2001, LNCS 2248",
            2001,
        ),
        Publication(
            "zhang2004",
            "X. Zhang, K. K. Parhi",
            "High-Speed VLSI Architectures for the AES Algorithm",
            "IEEE Transactions on VLSI Systems 12(9)",
            2004,
        ),
        Publication(
            "nekado2012",
            "K. Nekado, Y. Nogami, K. Iokibe",
            "Very Short Critical Path Implementation of AES with Direct Logic Gates",
            "IWSEC 2012, LNCS 7631",
            2012,
        ),
        Publication(
            "boyar2010",
            "J. Boyar, R. Peralta",
            "A New Combinational Logic Minimization Technique with Applications to Cryptology",
            "SEA 2010, LNCS 6049",
            2010,
        ),
        Publication(
            "boyar2012",
            "J. Boyar, R. Peralta",
            "A Small Depth-16 Circuit for the AES S-Box",
            "SEC 2012, IFIP AICT 376",
            2012,
        ),
        Publication(
            "reyhani2018",
            "A. Reyhani-Masoleh, M. Taha, D. Ashmawy",
            "Smashing the Implementation Records of AES S-box",
            "IACR Transactions on CHES 2018(2)",
            2018,
        ),
        Publication(
            "maximov2019",
            "A. Maximov, P. Ekdahl",
            "New Circuit Minimization Techniques for Smaller and Faster AES SBoxes",
            "IACR Transactions on CHES 2019(4)",
            2019,
        ),
        Publication(
            "teng2022",
            "Y.-T. Teng, W.-L. Chin, D.-K. Chang, P.-Y. Chen, P.-W. Chen",
            "VLSI Architecture of S-Box With High Area Efficiency Based on Composite Field Arithmetic",
            "IEEE Access 10",
            2022,
        ),
        Publication(
            "lin2023",
            "S.-H. Lin, J.-Y. Lee, C.-C. Chuang, N.-Y. Lee, P.-Y. Chen, W.-L. Chin",
            "Hardware Implementation of High-Throughput S-Box in AES for Information Security",
            "IEEE Access 11",
            2023,
        ),
        Publication(
            "wang2010",
            "C. Wang, H. M. Heys",
            "Using a Pipelined S-Box in Compact AES Hardware Implementations",
            "IEEE NEWCAS 2010",
            2010,
        ),
        Publication(
            "hamalainen2006",
            "P. Hämäläinen, T. Alho, M. Hännikäinen, T. D. Hämäläinen",
            "Design and Implementation of Low-Area and Low-Power AES Encryption Hardware Core",
            "9th EUROMICRO Conference on Digital System Design (DSD)",
            2006,
        ),
    )
}
