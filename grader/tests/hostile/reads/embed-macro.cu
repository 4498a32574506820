// expect: 1 builds
// says: A macro names the file of this #include
#define F "@SECRET@"
#embed F
